import AfterwordClient
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct WebhookCalls {
    @Test func webhookIsCreatedTestedListedAndDeleted() async throws {
        try await TestService.run { service in
            let host = try service.hostClient
            let key = IdempotencyKey()
            let request = WebhookRequest(url: "https://hooks.example.org/afterword", events: ["form.opened"])
            let created = try await host.createWebhook(request, key: key)
            #expect(
                created.secret?.hasPrefix("whsec_") == true && created.events == ["form.opened"] && !created.failing)
            let replayed = try await host.createWebhook(request, key: key)
            #expect(replayed.id == created.id && replayed.secret == nil)
            #expect(try await host.webhook(created.id).url == request.url)
            #expect(try await host.webhooks().first(5).map(\.id) == [created.id])

            let delivery = try await host.testWebhook(created.id)
            let again = try await host.redeliver(delivery.id, of: created.id)
            #expect(again.event == delivery.event)
            #expect(try await host.deliveries(of: created.id).pageSize(1).first(5).contains { $0.id == delivery.id })
            #expect(try await host.setPaused(true, webhook: created.id).pausedAt != nil)
            #expect(try await host.setPaused(false, webhook: created.id).pausedAt == nil)
            try await host.deleteWebhook(created.id)
            #expect(try await refusal { _ = try await host.webhook(created.id) }?.code == .notFound)
        }
    }

    @Test func privateAddressIsRefused() async throws {
        try await TestService.run { service in
            let host = try service.hostClient
            let problem = try await refusal {
                _ = try await host.createWebhook(WebhookRequest(url: "http://169.254.169.254/", events: []))
            }
            #expect(problem?.faults(at: "/url").isEmpty == false && problem?.faults(at: "/events").isEmpty == false)
        }
    }
}
