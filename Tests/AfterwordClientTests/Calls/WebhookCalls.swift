import AfterwordClient
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct WebhookCalls {
    @Test func webhookIsCreatedTestedListedAndDeleted() async throws {
        try await TestService.run { service in
            let host = try service.hosting
            let key = IdempotencyKey()
            let request = WebhookRequest(url: "https://hooks.example.org/afterword", events: ["form.opened"])
            let made = try await host.createWebhook(request, key: key)
            #expect(made.secret?.hasPrefix("whsec_") == true && made.events == ["form.opened"] && !made.failing)
            let replayed = try await host.createWebhook(request, key: key)
            #expect(replayed.id == made.id && replayed.secret == nil)
            #expect(try await host.webhook(made.id).url == request.url)
            #expect(try await host.webhooks().first(5).map(\.id) == [made.id])

            let tried = try await host.testWebhook(made.id)
            let again = try await host.redeliver(tried.id, of: made.id)
            #expect(again.event == tried.event)
            #expect(try await host.deliveries(of: made.id).by(1).first(5).contains { $0.id == tried.id })
            try await host.deleteWebhook(made.id)
            #expect(try await refusal { _ = try await host.webhook(made.id) }?.code == .notFound)
        }
    }

    @Test func privateAddressIsRefused() async throws {
        try await TestService.run { service in
            let host = try service.hosting
            let problem = try await refusal {
                _ = try await host.createWebhook(WebhookRequest(url: "http://169.254.169.254/", events: []))
            }
            #expect(problem?.faults(at: "/url").isEmpty == false && problem?.faults(at: "/events").isEmpty == false)
        }
    }
}
