import Domain
import Foundation
import Logging
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

@testable import Webhooks

/// The queues of pending deliveries: their limits and their order.
@Suite(.timeLimit(.minutes(15))) struct DeliveryQueues {
    @Test func webhookHasAtMostOnePendingTest() async throws {
        try await TestHook.run { service in
            try await TestReceiver.run { receiver in
                let hook = try await TestHook.make(receiver.url(), in: service)
                let responses = try await withThrowingTaskGroup(of: HTTPTestClient.Response.self) { group in
                    for _ in 0..<10 { group.addTask { try await service.host.post("\(hook.path)/test") } }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(responses.count { $0.status == 202 } == 1)
                #expect(responses.count { $0.problem == "too-many-requests" && $0["Retry-After"] != nil } == 9)
                try await TestHook.deliverAll(service.fixture.store)
                try await service.host.post("\(hook.path)/test").expect(202)
                #expect(try await hook.log().count == 2)
            }
        }
    }

    @Test func oldestOfTooManyPendingDeliveriesAreGivenUp() async throws {
        try await TestHook.run { service in
            let hook = try await TestHook.make("http://127.0.0.1:9/", in: service)
            let other = try await TestHook.make("http://127.0.0.1:9/", in: service)
            try await service.sql(
                """
                INSERT INTO webhook_delivery (id, webhook_id, event, body, give_up_at)
                SELECT lpad(n::text, 32, '0')::uuid, \(UUID(uuidString: hook.id)), 'form.opened', '{}',
                    now() + interval '1 day'
                FROM generate_series(1, 10000) n
                """)
            for _ in 0..<3 { _ = try await service.meeting() }
            let counts = try await service.fixture.store.pool.query(
                """
                SELECT count(*) FILTER (WHERE failed_at IS NULL), count(*) FILTER (WHERE failed_at IS NOT NULL),
                    max(id::text) FILTER (WHERE failed_at IS NOT NULL), max(last_error)
                FROM webhook_delivery WHERE webhook_id = \(UUID(uuidString: hook.id))
                """
            ).first?.decode(Int.self, Int.self, String.self, String.self)
            #expect(counts?.0 == 10_000 && counts?.1 == 3)
            #expect(counts?.2 == "00000000-0000-0000-0000-000000000003")
            #expect(counts?.3 == "more than 10000 were waiting")
            #expect(try await other.log().allSatisfy { $0["status"]?.string == "waiting" })
        }
    }

    @Test func accountHasAtMostTwoDeliveriesInFlight() async throws {
        try await TestHook.run { service in
            for _ in 0..<6 { _ = try await TestHook.make("http://127.0.0.1:9/", in: service) }
            let hookOfOther = try await TestHook.make("http://127.0.0.1:9/", by: service.other, in: service)
            _ = try await service.meeting()
            try await service.other.post("\(hookOfOther.path)/test").expect(202)
            let second = try await service.fixture.secondStore()
            let queues = [service.fixture.store.webhookQueue, second.webhookQueue]
            let claimed = try await withThrowingTaskGroup(of: WebhookQueue.Delivery?.self) { group in
                for number in 0..<12 { group.addTask { try await queues[number % 2].claim(failing: true) } }
                return try await group.reduce(into: [WebhookQueue.Delivery]()) { all, one in
                    all += one.map { [$0] } ?? []
                }
            }
            await second.close()
            let ofHost = claimed.filter { $0.webhookID.uuidString.lowercased() != hookOfOther.id }
            #expect(ofHost.count == 2 && claimed.count == 3)
            for delivery in ofHost { try await queues[0].succeeded(delivery, status: 200) }
            #expect(try await queues[0].claim(failing: true) != nil, "another delivery may be claimed")
        }
    }

    @Test func webhookWithoutASuccessIsQueuedWithTheFailingOnes() async throws {
        try await TestHook.run { service in
            let queue = service.fixture.store.webhookQueue
            _ = try await TestHook.make("http://127.0.0.1:9/", in: service)
            for _ in 0..<4 { _ = try await service.meeting() }
            #expect(try await queue.claim(failing: false) == nil)
            let first = try #require(try await queue.claim(failing: true))
            try await queue.succeeded(first, status: 200)
            #expect(try await queue.claim(failing: true) == nil)
            let second = try #require(try await queue.claim(failing: false))
            try await queue.failed(second, status: 500, reason: "it responded with 500", chance: 0)
            #expect(try await queue.claim(failing: false) == nil)
            #expect(try await queue.claim(failing: true) != nil)
        }
    }

    @Test func deliveriesRequestedDuringATryAreSentAgain() async throws {
        try await TestHook.run { service in
            let queue = service.fixture.store.webhookQueue
            let hook = try await TestHook.make("http://127.0.0.1:9/", in: service)
            _ = try await service.meeting()
            let first = try #require(try await queue.claim(failing: true))
            let again = "\(hook.path)/deliveries/\(first.id.uuidString.lowercased())/redeliver"
            try await service.host.post(again).expect(202)
            #expect(try await queue.claim(failing: true) == nil, "one delivery at a time")
            #expect(try await queue.succeeded(first, status: 200))
            #expect(try await hook.log()[0]["status"]?.string == "waiting")
            let second = try #require(try await queue.claim(failing: false))
            #expect(second.id == first.id && second.body == first.body && second.tries == 1)
            #expect(try await queue.succeeded(second, status: 200))
            #expect(try await hook.log()[0]["status"]?.string == "delivered")
        }
    }

    @Test func concurrentClaimsGetDifferentWebhooks() async throws {
        try await TestHook.run { service in
            let queue = service.fixture.store.webhookQueue
            var hooks: [TestHook] = []
            for client in [service.host, service.other, service.admin] {
                hooks.append(try await TestHook.make("http://127.0.0.1:9/", by: client, in: service))
                try await client.post("\(try #require(hooks.last).path)/test").expect(202)
            }
            // Each claim gets a delivery as long as one is unclaimed.
            let claimed = try await withThrowingTaskGroup(of: WebhookQueue.Delivery?.self) { group in
                for _ in 0..<3 { group.addTask { try await queue.claim(failing: true) } }
                return try await group.reduce(into: [WebhookQueue.Delivery]()) { all, one in
                    all += one.map { [$0] } ?? []
                }
            }
            #expect(Set(claimed.map(\.webhookID)).count == 3)
        }
    }

    @Test func unsentDeliveriesThatAreGivenUpHaveAReason() async throws {
        try await TestHook.run { service in
            let hook = try await TestHook.make("http://127.0.0.1:9/", in: service)
            let hookOfOther = try await TestHook.make("http://127.0.0.1:9/", by: service.other, in: service)
            try await service.host.post("\(hook.path)/test").expect(202)
            try await service.other.post("\(hookOfOther.path)/test").expect(202)
            try await service.sql("UPDATE webhook_delivery SET give_up_at = now() - interval '2 days'")
            try await service.sql(
                """
                UPDATE account SET disabled_at = now()
                WHERE id = (SELECT account_id FROM webhook WHERE id = \(UUID(uuidString: hookOfOther.id)))
                """)
            try await service.fixture.store.sweep()
            let rows = try await service.fixture.store.pool.query(
                "SELECT webhook_id::text, last_error FROM webhook_delivery WHERE failed_at IS NOT NULL")
            let reasons = try rows.map { row in
                let (id, error) = try row.decode(String.self, String.self)
                return "\(id) \(error)"
            }
            #expect(Set(reasons) == ["\(hook.id) it waited too long", "\(hookOfOther.id) the account is disabled"])
        }
    }

    @Test func unavailableDatabaseIsLoggedOnceByEachTask() async throws {
        try await TestHook.run { service in
            let tape = LogTape()
            let second = try await service.fixture.secondStore()
            let publisher = ResultPublisher(store: second, logger: tape.logger(.warning))
            let deliverer = WebhookDeliverer(
                store: second, sender: WebhookSender(to: WebhookTargets(allowsPrivate: true)),
                logger: tape.logger(.warning))
            #expect(await deliverer.claim(failing: true) == nil && tape.lines.isEmpty)
            await second.close()
            for _ in 0..<3 {
                await publisher.publishChanged()
                for failing in [true, false] { #expect(await deliverer.claim(failing: failing) == nil) }
            }
            #expect(tape.lines.count == 2, "\(tape.lines)")
        }
    }
}
