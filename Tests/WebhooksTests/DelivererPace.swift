import ServiceLifecycle
import Store
import StrictJSON
import TestSupport
import Testing

@testable import Webhooks

/// How soon pending deliveries are sent, and how soon the service can stop.
@Suite(.timeLimit(.minutes(15))) struct DelivererPace {
    private static func withRunning(
        _ deliverer: WebhookDeliverer, _ body: (ServiceGroup) async throws -> Void
    ) async throws {
        let group = ServiceGroup(configuration: .init(services: [deliverer], logger: TestStore.silentLogger))
        async let ending: Void = group.run()
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await body(group))
        } catch {
            outcome = .failure(error)
        }
        await group.triggerGracefulShutdown()
        try await ending
        try outcome.get()
    }

    /// The pause is an hour, so only the end of a delivery can start the next.
    @Test func pendingDeliveriesOfOneWebhookAreSentWithoutAPause() async throws {
        try await TestHook.run { service in
            try await TestReceiver.run { receiver in
                _ = try await TestHook.make(receiver.url(), [.meetingCreated], in: service)
                for _ in 0..<40 { _ = try await service.meeting() }
                let deliverer = TestHook.deliverer(service.fixture.store, pause: .seconds(3600))
                try await Self.withRunning(deliverer) { _ in
                    try await TestReceiver.wait(for: "all 40 requests") { receiver.requests.count == 40 }
                }
            }
        }
    }

    @Test func silentReceiverDoesNotDelayTheShutdown() async throws {
        try await TestHook.run { service in
            try await TestReceiver.run { _, _ in
                .silence
            } _: { receiver in
                let hook = try await TestHook.make(receiver.url(), in: service)
                _ = try await service.meeting()
                let deliverer = TestHook.deliverer(service.fixture.store, timeout: .seconds(60))
                try await Self.withRunning(deliverer) { group in
                    try await TestReceiver.wait(for: "the first try") { receiver.requests.count == 1 }
                    await group.triggerGracefulShutdown()
                }
                #expect(
                    try await hook.log().first?["status"]?.string == "waiting",
                    "the delivery is repeated after its lease has expired")
            }
        }
    }
}
