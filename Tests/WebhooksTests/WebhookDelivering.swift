import Foundation
import Postgres
import ServiceLifecycle
import Store
import StrictJSON
import TestSupport
import Testing

@testable import Webhooks

@Suite(.timeLimit(.minutes(15))) struct WebhookDelivering {
    @Test func eventsAreDeliveredWithTheirIDs() async throws {
        try await TestHook.run { service in
            try await TestReceiver.run { receiver in
                let hook = try await TestHook.make(receiver.url(), in: service)
                let meeting = try await service.meeting()
                try await TestHook.deliverAll(service.fixture.store)
                let request = try #require(receiver.requests.first)
                #expect(receiver.requests.count == 1 && request.type == "meeting.created")
                #expect(request.data?["meetingId"]?.string == meeting.id)
                #expect(request.data?["seriesId"]?.string == meeting.seriesID)
                #expect(request.data?["round"] == JSONValue(1) && request.data?["state"]?.string == "draft")
                #expect(request.data?["submissions"] == JSONValue(0))
                let timestamp = try #require(request.json?["timestamp"]?.string.flatMap { RFC3339.parse($0) })
                #expect(abs(timestamp.timeIntervalSinceNow) < 60)
                let log = try await hook.log()
                #expect(log.count == 1 && log[0]["id"]?.string == request.id)
                #expect(log[0]["status"]?.string == "delivered" && log[0]["httpStatus"] == JSONValue(204))
                #expect(log[0]["tries"] == JSONValue(1) && log[0]["nextTryAt"] == .null)
                #expect(log[0]["error"] == .null && log[0]["endedAt"]?.string != nil)
            }
        }
    }

    @Test func shownSecretVerifiesDeliveries() async throws {
        try await TestHook.run { service in
            try await TestReceiver.run { receiver in
                let hook = try await TestHook.make(receiver.url(), in: service)
                let secret = try #require(Data(base64Encoded: String(hook.secret.dropFirst("whsec_".count))))
                _ = try await service.meeting()
                try await TestHook.deliverAll(service.fixture.store)
                let request = try #require(receiver.requests.first)
                let expected = WebhookSignature.make(
                    id: request.id ?? "", timestamp: Int(request.headers["webhook-timestamp"] ?? "") ?? 0,
                    body: Array(request.body.utf8), secret: Array(secret))
                #expect(secret.count == 32 && request.headers["webhook-signature"] == expected)
            }
        }
    }

    /// A 500, a timeout and a closed connection, followed by a success.
    @Test func failedTryIsRepeatedWithTheSameID() async throws {
        let responses: [TestReceiver.Response] = [.status(500), .silence, .reset, .status(200)]
        try await TestHook.run { service in
            try await TestReceiver.run { number, _ in
                responses[number - 1]
            } _: { receiver in
                let hook = try await TestHook.make(receiver.url(), in: service)
                _ = try await service.meeting()
                for number in 1...4 {
                    try await TestHook.deliverAll(service.fixture.store, timeout: .milliseconds(500))
                    #expect(receiver.requests.count == number, "the next try is not due yet")
                    let entry = try #require(try await hook.log().first)
                    #expect(entry["tries"] == JSONValue(number))
                    #expect(entry["status"]?.string == (number < 4 ? "waiting" : "delivered"))
                    let webhook = try await service.host.get(hook.path).expect(200)
                    #expect(webhook.json?["failing"] == .bool(number < 4))
                    #expect((webhook.json?["lastSuccessAt"]?.string != nil) == (number == 4))
                    if number == 1 {
                        #expect(
                            entry["httpStatus"] == JSONValue(500) && entry["error"]?.string == "it responded with 500")
                        let next = try #require(entry["nextTryAt"]?.string.flatMap { RFC3339.parse($0) })
                        #expect(5...13 ~= next.timeIntervalSinceNow)
                    }
                    try await TestHook.makeRetriesDue(service)
                }
                #expect(Set(receiver.requests.map(\.id)).count == 1 && Set(receiver.requests.map(\.body)).count == 1)
                let stamps = receiver.requests.compactMap { Int($0.headers["webhook-timestamp"] ?? "") }
                #expect(stamps == stamps.sorted())
            }
        }
    }

    @Test func deliveryIsGivenUpAfterADayAndResentOnRequest() async throws {
        try await TestHook.run { service in
            try await TestReceiver.run { number, _ in
                .status(number <= 2 ? 503 : 200)
            } _: { receiver in
                let hook = try await TestHook.make(receiver.url(), in: service)
                _ = try await service.meeting()
                try await TestHook.deliverAll(service.fixture.store)
                #expect(try await hook.log()[0]["status"]?.string == "waiting")
                try await service.sql(
                    "UPDATE webhook_delivery SET give_up_at = now() - interval '1 second', next_try_at = now()")
                try await TestHook.deliverAll(service.fixture.store)
                let entry = try await hook.log()[0]
                #expect(entry["status"]?.string == "failed" && entry["tries"] == JSONValue(2))
                #expect(entry["nextTryAt"] == .null && entry["endedAt"]?.string != nil)
                try await TestHook.makeRetriesDue(service)
                try await TestHook.deliverAll(service.fixture.store)
                #expect(receiver.requests.count == 2)

                let id = try #require(entry["id"]?.string)
                let again = try await service.host.post("\(hook.path)/deliveries/\(id)/redeliver").expect(202)
                #expect(try again.string("status") == "waiting")
                try await TestHook.deliverAll(service.fixture.store)
                #expect(receiver.requests.count == 3 && Set(receiver.requests.map(\.id)) == [id])
                #expect(try await hook.log().map { $0["status"]?.string } == ["delivered"])
                // A successful delivery may be sent again too.
                try await service.host.post("\(hook.path)/deliveries/\(id)/redeliver").expect(202)
                try await TestHook.deliverAll(service.fixture.store)
                #expect(receiver.requests.count == 4)
            }
        }
    }

    @Test func lastTryIsNotAfterTheDeadline() async throws {
        try await TestHook.run { service in
            try await TestReceiver.run { _, _ in
                .status(500)
            } _: { receiver in
                let hook = try await TestHook.make(receiver.url(), in: service)
                _ = try await service.meeting()
                try await service.sql("UPDATE webhook_delivery SET give_up_at = now() + interval '3 seconds'")
                try await TestHook.deliverAll(service.fixture.store)
                let next = try await hook.log()[0]["nextTryAt"]?.string.flatMap { RFC3339.parse($0) }
                #expect(try #require(next).timeIntervalSinceNow < 4)
            }
        }
    }

    /// The senders run concurrently on two instances.
    @Test func severalSendersDeliverEachEventOnce() async throws {
        try await TestHook.run { service in
            try await TestReceiver.run { _, _ in
                try? await Task.sleep(for: .milliseconds(10))
                return .status(200)
            } _: { receiver in
                for _ in 0..<2 { _ = try await TestHook.make(receiver.url(), in: service) }
                for _ in 0..<10 { _ = try await service.meeting() }
                let second = try await service.fixture.secondStore()
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for store in [service.fixture.store, second] {
                        for _ in 0..<3 { group.addTask { try await TestHook.deliverAll(store) } }
                    }
                    try await group.waitForAll()
                }
                // A sender stops when it finds no free webhook with a due delivery, so a delivery may remain.
                try await TestHook.deliverAll(second)
                await second.close()
                #expect(receiver.requests.count == 20 && Set(receiver.requests.map(\.id)).count == 20)
                #expect(receiver.maxInFlight <= 2, "one delivery at a time for each of the two webhooks")
            }
        }
    }

    @Test func deadReceiversDelayNoOtherReceiver() async throws {
        try await TestHook.run { service in
            try await TestReceiver.run { _, request in
                switch request.line.split(separator: " ")[1] {
                case "/silent": .silence
                case "/endless": .endless
                case "/drip": .drip
                default: .status(200)
                }
            } _: { receiver in
                for path in Array(repeating: "/silent", count: 8) + ["/drip", "/endless"] {
                    _ = try await TestHook.make(receiver.url(path), [.meetingCreated], in: service)
                }
                _ = try await TestHook.make(receiver.url("/healthy"), [.meetingCreated], in: service)
                let deliverer = TestHook.deliverer(service.fixture.store, timeout: .seconds(2))
                let group = ServiceGroup(configuration: .init(services: [deliverer], logger: TestStore.silentLogger))
                async let running: Void = group.run()
                _ = try await service.meeting()
                @Sendable func healthyCount() -> Int { receiver.requests.count { $0.line.contains("/healthy") } }
                try await TestReceiver.wait(for: "the first delivery") { healthyCount() == 1 }
                // After a failure, a receiver's deliveries have a separate lane. The endless receiver does not fail.
                try await TestReceiver.wait(for: "the failures of the dead receivers") {
                    let rows = try await service.fixture.store.pool.query(
                        "SELECT count(*) FROM webhook_state WHERE failing_since IS NOT NULL")
                    return try rows.first?.decode(Int.self) == 9
                }
                try await TestHook.makeRetriesDue(service)
                let begun = ContinuousClock.now
                for number in 2...6 {
                    _ = try await service.meeting()
                    try await TestReceiver.wait(for: "delivery \(number)") { healthyCount() == number }
                }
                #expect(.now - begun < .seconds(6), "each silent receiver takes two seconds")
                await group.triggerGracefulShutdown()
                try await running
            }
        }
    }

    @Test func deliveriesOfAKilledInstanceAreRepeated() async throws {
        try await TestHook.run { service in
            try await TestReceiver.run { number, _ in
                number == 1 ? .silence : .status(200)
            } _: { receiver in
                let hook = try await TestHook.make(receiver.url(), in: service)
                _ = try await service.meeting()
                let store = service.fixture.store
                let killed = Task { try await TestHook.deliverer(store, timeout: .seconds(60)).run() }
                try await TestReceiver.wait(for: "the first try") { receiver.requests.count == 1 }
                killed.cancel()
                _ = await killed.result
                try await TestHook.deliverAll(store)
                #expect(receiver.requests.count == 1, "the lease has not ended")
                let claims = try await store.pool.query("SELECT claims FROM webhook_state").first?.decode(Int.self)
                try await service.sql("UPDATE webhook_state SET busy_until = now()")
                try await TestHook.makeRetriesDue(service)
                try await TestHook.deliverAll(store)
                #expect(claims == 1 && receiver.requests.count == 2 && Set(receiver.requests.map(\.id)).count == 1)
                #expect(try await hook.log()[0]["status"]?.string == "delivered")
            }
        }
    }

    @Test func deliveryCannotBeEndedAfterItsLeaseExpired() async throws {
        try await TestHook.run { service in
            let hook = try await TestHook.make("http://127.0.0.1:9/", in: service)
            _ = try await service.meeting()
            let queue = service.fixture.store.webhookQueue
            let first = try #require(try await queue.claim(failing: true))
            #expect(try await queue.claim(failing: true) == nil)
            try await service.sql("UPDATE webhook_state SET busy_until = now()")
            try await TestHook.makeRetriesDue(service)
            let second = try #require(try await queue.claim(failing: true))
            #expect(second.id == first.id && second.tries == 2)
            #expect(try await !queue.failed(first, status: nil, reason: "late", chance: 0))
            #expect(try await !queue.succeeded(first, status: 200))
            #expect(try await hook.log()[0]["status"]?.string == "waiting")
            #expect(try await queue.claim(failing: true) == nil, "the second claim still holds the lease")
            #expect(try await queue.succeeded(second, status: 200))
            #expect(try await hook.log()[0]["status"]?.string == "delivered")
        }
    }

    @Test func shutdownLetsTheTryInFlightFinish() async throws {
        try await TestHook.run { service in
            let (gate, open) = AsyncStream<Void>.makeStream()
            try await TestReceiver.run { _, _ in
                for await _ in gate { break }
                return .status(200)
            } _: { receiver in
                let hook = try await TestHook.make(receiver.url(), in: service)
                for _ in 0..<2 { _ = try await service.meeting() }
                let deliverer = TestHook.deliverer(service.fixture.store)
                let group = ServiceGroup(configuration: .init(services: [deliverer], logger: TestStore.silentLogger))
                async let running: Void = group.run()
                try await TestReceiver.wait(for: "the first try") { receiver.requests.count == 1 }
                await group.triggerGracefulShutdown()
                open.yield()
                try await running
                let states = try await hook.log().compactMap { $0["status"]?.string }
                #expect(states.sorted() == ["delivered", "waiting"])
            }
        }
    }

    @Test func deletedWebhookGetsNoFurtherDeliveries() async throws {
        try await TestHook.run { service in
            try await TestReceiver.run { receiver in
                let hook = try await TestHook.make(receiver.url(), in: service)
                _ = try await service.meeting()
                try await service.host.delete(hook.path).expect(204)
                _ = try await service.meeting()
                try await TestHook.deliverAll(service.fixture.store)
                #expect(receiver.connections == 0)
                for table in ["webhook", "webhook_state", "webhook_delivery"] {
                    let rows = try await service.fixture.store.pool.query("SELECT FROM \(identifier: table)")
                    #expect(rows.isEmpty, "\(table)")
                }
            }
        }
    }

    @Test func webhooksOfADisabledAccountGetNothing() async throws {
        try await TestHook.run { service in
            try await TestReceiver.run { receiver in
                _ = try await TestHook.make(receiver.url(), in: service)
                _ = try await service.meeting()
                try await service.sql(
                    "UPDATE account SET disabled_at = now() WHERE id = \(service.fixture.host.account.id)")
                try await TestHook.deliverAll(service.fixture.store)
                #expect(receiver.connections == 0)
                // Deliveries that nobody may send are given up by the sweep and deleted a week later.
                try await service.sql("UPDATE webhook_delivery SET give_up_at = now() - interval '2 days'")
                try await service.fixture.store.sweep()
                let rows = try await service.fixture.store.pool.query(
                    "SELECT failed_at IS NOT NULL FROM webhook_delivery")
                #expect(try rows.map { try $0.decode(Bool.self) } == [true])
                try await service.sql("UPDATE webhook_delivery SET failed_at = now() - interval '8 days'")
                try await service.fixture.store.sweep()
                #expect(try await service.fixture.store.pool.query("SELECT FROM webhook_delivery").isEmpty)
            }
        }
    }
}
