import StrictJSON

/// A validated request to create a webhook.
public struct WebhookDraft: Sendable, Equatable {
    public var url: WebhookURL
    /// Without duplicates, in the order of the `known` events of `read(_:known:targets:)`.
    public var events: [String]

    /// Parses the body of `POST /v1/webhooks`. Throws a `Problem` with all errors.
    ///
    /// - Parameters:
    ///   - known: All events.
    ///   - targets: The allowed URLs.
    public static func read(
        _ body: JSONValue, known: [String], targets: WebhookTargets
    ) throws(Problem) -> WebhookDraft {
        let reader = ObjectReader(body)
        let url = reader.requiredString("url").flatMap { reader.webhookURL($0, targets) }
        let events = reader.requiredWords(
            "events", of: known, ifEmpty: "A webhook needs at least one event.", allowsDuplicates: false)
        let faults = reader.finish()
        guard faults.isEmpty, let url, let events else { throw Problem(faults) }
        return WebhookDraft(url: url, events: events)
    }
}

extension ObjectReader {
    fileprivate func webhookURL(_ text: String, _ targets: WebhookTargets) -> WebhookURL? {
        do throws(WebhookURL.Invalid) {
            let url = try WebhookURL(text)
            guard targets.allowsPrivate || !url.isPrivate else {
                fault(at: "url", code: "private-address", "Webhooks are not sent to private addresses.")
                return nil
            }
            guard targets.allowsPrivate || url.isEncrypted else {
                fault(at: "url", code: "unencrypted", "Webhooks are sent over HTTPS only.")
                return nil
            }
            guard targets.admitsHost(of: url) else {
                fault(at: "url", code: "host-not-allowed", "The operator has not allowed this host.")
                return nil
            }
            return url
        } catch {
            switch error {
            case .tooLong:
                fault(at: "url", code: "too-long", "A URL has at most \(WebhookURL.maximumLength) characters.")
            case .malformed:
                fault(at: "url", code: "invalid-url", "A URL such as https://example.org/hook is expected.")
            case .scheme: fault(at: "url", code: "invalid-url", "The URL must begin with https:// or http://.")
            case .userInfo: fault(at: "url", code: "invalid-url", "The URL must not contain a user or password.")
            case .fragment: fault(at: "url", code: "invalid-url", "The URL must not contain a fragment.")
            }
            return nil
        }
    }
}
