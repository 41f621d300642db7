import Contract
import Foundation
import HTTPTypes
import StrictJSON

/// The pages for a host's webhooks: the list with a form for a new one, and one webhook with its deliveries.
///
/// All changes go through the API, which refuses private addresses and keeps the limits.
struct WebhookPages: Sendable {
    static let path = "/account/webhooks"
    /// The events to which a webhook can subscribe.
    static let events = ["form.opened", "form.closed", "results.changed", "attendee.checked-in", "meeting.created"]
    private static let maxDeliveries = 20
    /// How long a page waits for the outcome of a test delivery. A receiver has ten seconds, but most answer sooner.
    static let outcomePatience: Duration = .seconds(4)

    var routes: [PageRoute] {
        [
            PageRoute(Self.path, get: { try await list(HostSession($0)) }, post: create),
            PageRoute(Self.path + "/{id}", get: { try await show(HostSession($0)) }, post: apply),
        ]
    }

    // MARK: The list

    private func list(
        _ session: HostSession, _ error: FormError? = nil, created: Webhook? = nil
    ) async throws -> PageResponse {
        let page = session.page
        let list: WebhookList = try await session.get("/v1/webhooks" + page.apiQuery(["cursor"]).text)
        let chosen = created == nil && page.method == .post ? page.fields.values("event") : []
        let model = WebhooksPage(
            title: page.texts("webhooks.title"), alert: error?.alert,
            created: created?.secret.map { OneTimeSecret(text: page.texts("webhooks.made"), url: $0) },
            webhooks: list.items.map { WebhookSummary($0, page) }, next: page.nextPage(list.next),
            key: SubmitToken.make(), url: created == nil ? page.fields["url"] ?? "" : "",
            urlFault: error?.faults["url"],
            eventChoices: Self.events.map {
                .init(choice: $0, words: Self.name(of: $0, page.texts), isChosen: chosen.contains($0))
            }, eventsFault: error?.faults["events"], script: page.kit.files.address("once.js"))
        return page.page(model, status: error?.status ?? .ok)
    }

    private func create(_ page: PageRequest) async throws -> PageResponse {
        let session = try HostSession(page)
        do {
            try session.checkCSRF()
            let url = (page.fields["url"] ?? "").trimmingCharacters(in: .whitespaces)
            let response = try await session.send(
                .post, "/v1/webhooks",
                .object([
                    .init("url", .string(url)),
                    .init("events", .array(page.fields.values("event").map { .string($0) })),
                ]), headers: [.idempotencyKey: SubmitToken.given(page.fields)])
            return try await list(session, created: response.decoded())
        } catch let error as FormError {
            return try await list(session, Self.explained(error, page.texts))
        }
    }

    /// The error with the messages for webhooks, where they differ from those of other forms.
    private static func explained(_ error: FormError, _ texts: PageTexts) -> FormError {
        var error = error
        if error.errors.contains(where: { $0.code == "too-many" }) { error.alert = texts("webhooks.too-many") }
        for fault in error.errors.reversed() {
            let field = String(fault.pointer.split(separator: "/").first ?? "")
            guard let text = texts.find("webhooks.fault-\(fault.code)") else { continue }
            error.faults[field] = text
        }
        if error.faults["events"] != nil { error.faults["events"] = texts("webhooks.no-events") }
        return error
    }

    // MARK: One webhook

    private func show(_ session: HostSession, _ error: FormError? = nil) async throws -> PageResponse {
        let page = session.page
        let path = Self.apiPath(page)
        let webhook: Webhook = try await session.get(path)
        let query = page.apiQuery(["cursor"]).with("limit", "\(Self.maxDeliveries)")
        let deliveries: WebhookDeliveryList = try await session.get(path + "/deliveries" + query.text)
        let model = WebhookPage(
            title: page.texts("webhooks.one"), alert: error?.alert, webhook: WebhookSummary(webhook, page),
            isPaused: webhook.pausedAt != nil,
            deliveries: deliveries.items.map { WebhookPage.Delivery($0, page) }, next: page.nextPage(deliveries.next),
            isDeleting: page.fields["act"] == "delete", deletionFault: error?.faults["sure"])
        return page.page(model, status: error?.status ?? .ok)
    }

    private func apply(_ page: PageRequest) async throws -> PageResponse {
        let session = try HostSession(page)
        let path = Self.apiPath(page)
        let parts = (page.fields["act"] ?? "").split(separator: ":").map { PageRequest.pathSafe(String($0)) }
        do {
            try session.checkCSRF()
            switch (parts.first, parts.count) {
            case ("test", 1): return try await test(session, path)
            case ("pause", 1), ("resume", 1):
                try await session.send(.patch, path, .object([.init("paused", .bool(parts[0] == "pause"))]))
                return page.done(parts[0] == "pause" ? "webhook-paused" : "webhook-resumed", at: page.path)
            case ("again", 2):
                let sent: WebhookDelivery = try await session.send(.post, "\(path)/deliveries/\(parts[1])/redeliver")
                    .decoded()
                return try await outcome(of: sent, session, path)
            case ("delete", 1):
                guard page.fields["sure"] != nil else {
                    throw FormError(
                        status: .unprocessableContent, alert: page.texts("refused.look-again"),
                        faults: ["sure": page.texts("webhooks.not-sure")])
                }
                try await session.send(.delete, path)
                return page.done("webhook-deleted", at: Self.path)
            default: throw PageError(.badRequest)
            }
        } catch let error as FormError {
            return try await show(session, error)
        }
    }

    private func test(_ session: HostSession, _ path: String) async throws -> PageResponse {
        do {
            let sent: WebhookDelivery = try await session.send(.post, path + "/test").decoded()
            return try await outcome(of: sent, session, path)
        } catch var error as FormError where error.status == .tooManyRequests {
            error.alert = session.page.texts("webhooks.test-waits")
            throw error
        }
    }

    /// Waits a moment for the first attempt, and redirects to the webhook's page with a notice of the outcome.
    private func outcome(
        of sent: WebhookDelivery, _ session: HostSession, _ path: String
    ) async throws -> PageResponse {
        let page = session.page
        let deadline = ContinuousClock.now + Self.outcomePatience
        var delivery = sent
        while delivery.status == "waiting", delivery.tries == 0, .now < deadline {
            try await Task.sleep(for: .milliseconds(200))
            let newest: WebhookDeliveryList = try await session.get("\(path)/deliveries?limit=200")
            guard let found = newest.items.first(where: { $0.id == sent.id }) else { break }
            delivery = found
        }
        let status = delivery.httpStatus.map(String.init)
        return switch (delivery.status, delivery.tries) {
        case ("delivered", _): page.done("test-delivered", ["status": status ?? ""], at: page.path)
        case (_, 0): page.done("test-waiting", at: page.path)
        default: page.done("test-failed", at: page.path)
        }
    }

    private static func apiPath(_ page: PageRequest) -> String { "/v1/webhooks/\(page.safeParameter("id"))" }

    static func name(of event: String, _ texts: PageTexts) -> String {
        texts.find("webhooks.event-\(event.replacing(".", with: "-"))") ?? event
    }
}
