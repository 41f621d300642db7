import Contract

/// A webhook in a list or at the top of its own page.
struct WebhookSummary: TemplateValues {
    var id: String
    var url: String
    /// The names of the events, in words.
    var events: String
    /// When it last succeeded, or since when it fails or is paused.
    var state: String
    var isFailing: Bool

    init(_ webhook: Webhook, _ page: PageRequest) {
        id = "\(webhook.id)"
        url = webhook.url
        events = webhook.events.map { WebhookPages.name(of: $0, page.texts) }.joined(separator: " · ")
        isFailing = webhook.failing && webhook.pausedAt == nil
        if let pausedAt = webhook.pausedAt {
            state = page.texts("webhooks.paused", ["time": page.time(pausedAt)])
        } else if let since = webhook.failingSince {
            state = page.texts("webhooks.failing", ["time": page.time(since)])
        } else if let last = webhook.lastSuccessAt {
            state = page.texts("webhooks.working", ["time": page.time(last)])
        } else {
            state = page.texts("webhooks.unused", ["time": page.time(webhook.createdAt)])
        }
    }
}

/// The webhooks of the host, with a form for a new one.
struct WebhooksPage: PageModel {
    static let template = "webhooks"
    var title: String
    var alert: String?
    /// The secret of the webhook that was just made.
    var created: OneTimeSecret?
    var webhooks: [WebhookSummary]
    /// The address of the list's next page.
    var next: String?
    /// The idempotency key of a new webhook.
    var key: String
    var url: String
    var urlFault: String?
    var eventChoices: [PageField.Values.Choice]
    var eventsFault: String?
    var script: String
}

/// One webhook with its last deliveries, a test, and its deletion.
struct WebhookPage: PageModel {
    struct Delivery: TemplateValues {
        var id: String
        /// The event in words, with the time of the delivery.
        var name: String
        /// The outcome: the status in words, the receiver's HTTP status and the number of attempts.
        var outcome: String
        var isFailed: Bool
        /// The last attempt and the next one.
        var times: String
        /// The reason of the last failure, in English.
        var reason: String?

        init(_ delivery: WebhookDelivery, _ page: PageRequest) {
            let texts = page.texts
            id = "\(delivery.id)"
            let event = delivery.event == "webhook.test" ? texts("webhooks.test-name") : delivery.event
            name = "\(event), \(page.time(delivery.createdAt))"
            let status = delivery.httpStatus.map { "HTTP \($0)" }
            let tries = texts("webhooks.tries", ["count": "\(delivery.tries)"])
            outcome = [texts.find("webhooks.status-\(delivery.status)") ?? delivery.status, status, tries]
                .compactMap(\.self).joined(separator: " · ")
            isFailed = delivery.status != "delivered" && delivery.tries > 0
            times = [
                delivery.lastTryAt.map { texts("webhooks.last-try", ["time": page.time($0)]) },
                delivery.nextTryAt.map { texts("webhooks.next-try", ["time": page.time($0)]) },
            ].compactMap(\.self).joined(separator: " · ")
            reason = delivery.status == "delivered" ? nil : delivery.error
        }
    }

    static let template = "webhook"
    var title: String
    var alert: String?
    var webhook: WebhookSummary
    var isPaused: Bool
    var deliveries: [Delivery]
    /// The address of the list's next page.
    var next: String?
    /// Whether the form that deletes the webhook is unfolded.
    var isDeleting: Bool
    var deletionFault: String?
}
