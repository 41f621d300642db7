import Domain
import Foundation
import HTTPAPI
import Logging
import Postgres
import Store
import StrictJSON
import TestSupport

@testable import Webhooks

/// A webhook that a test has created.
struct TestHook: Sendable {
    let service: TestService
    let id: String
    let secret: String

    /// Runs `body` with a service that may send webhooks to loopback addresses.
    static func run<Value: Sendable>(_ body: (TestService) async throws -> Value) async throws -> Value {
        try await TestService.run(options: ServiceOptions(webhookTargets: WebhookTargets(allowsPrivate: true)), body)
    }

    /// - Parameter events: The subscribed events; all by default.
    static func make(
        _ url: String, _ events: [Event] = Event.allCases, by owner: HTTPTestClient? = nil, in service: TestService
    ) async throws -> TestHook {
        let list = events.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        let created = try await (owner ?? service.host).post(
            "/v1/webhooks", json: #"{"url": "\#(url)", "events": [\#(list)]}"#
        ).expect(201)
        return TestHook(service: service, id: try created.string("id"), secret: try created.string("secret"))
    }

    var path: String { "/v1/webhooks/\(id)" }

    /// The delivery log, newest first.
    func log(by owner: HTTPTestClient? = nil) async throws -> [JSONValue] {
        try await (owner ?? service.host).get("\(path)/deliveries?limit=200").expect(200).json?["items"]?.array ?? []
    }

    static func deliverer(
        _ store: Store, timeout: Duration = .seconds(10), pause: Duration = .milliseconds(20)
    ) -> WebhookDeliverer {
        WebhookDeliverer(
            store: store, sender: WebhookSender(to: WebhookTargets(allowsPrivate: true), timeout: timeout),
            pause: pause,
            logger: TestStore.silentLogger)
    }

    /// Sends due deliveries until none is left.
    static func deliverAll(_ store: Store, timeout: Duration = .seconds(10)) async throws {
        let deliverer = deliverer(store, timeout: timeout)
        while true {
            let healthy = try await deliverer.deliverNext(failing: false)
            let failing = try await deliverer.deliverNext(failing: true)
            if !healthy, !failing { return }
        }
    }

    /// Makes all pending deliveries due now.
    static func makeRetriesDue(_ service: TestService) async throws {
        try await service.sql("UPDATE webhook_delivery SET next_try_at = now() - interval '1 second'")
    }
}

extension TestReceiver.Request {
    var json: JSONValue? { try? JSONValue.parse(Array(body.utf8)) }
    var type: String? { json?["type"]?.string }
    var data: JSONValue? { json?["data"] }
}
