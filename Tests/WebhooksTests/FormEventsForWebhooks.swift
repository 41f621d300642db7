import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

@testable import Webhooks

/// The delivery log of each webhook has every opening and close of a form once, whatever caused it.
@Suite(.timeLimit(.minutes(15))) struct FormEventsForWebhooks {
    private static func loggedEvents(_ hooks: [TestHook]) async throws -> [String] {
        var logs: Set<[String]> = []
        for hook in hooks { logs.insert(try await hook.log().compactMap { $0["event"]?.string }.reversed()) }
        guard logs.count == 1, let loggedEvents = logs.first else { throw TestStore.Missing("equal logs: \(logs)") }
        return loggedEvents
    }

    private static func makeHooks(_ service: TestService) async throws -> [TestHook] {
        var hooks: [TestHook] = []
        for _ in 0..<2 {
            hooks.append(try await TestHook.make("http://127.0.0.1:9/", [.formOpened, .formClosed], in: service))
        }
        return hooks
    }

    @Test func trashingClosesAndRestoringOpensAForm() async throws {
        try await TestHook.run { service in
            let hooks = try await Self.makeHooks(service)
            let meeting = try await service.openMeeting()
            var expected = ["form.opened"]
            for path in [meeting.path, "/v1/series/\(meeting.seriesID)"] {
                try await service.host.delete(path).expect(204)
                expected.append("form.closed")
                #expect(try await Self.loggedEvents(hooks) == expected)
                try await service.host.post("\(path)/restore").expect(200)
                expected.append("form.opened")
                #expect(try await Self.loggedEvents(hooks) == expected)
            }
            let states = try await service.fixture.store.pool.query(
                "SELECT DISTINCT event, body FROM webhook_delivery"
            ).map { row in
                let (event, body) = try row.decode(String.self, String.self)
                return "\(event) \(try JSONValue.parse(Array(body.utf8))["data"]?["state"]?.string ?? "")"
            }
            #expect(Set(states) == ["form.opened open", "form.closed closed"])
            // Trashing and restoring a closed form is neither a close nor an opening.
            try await meeting.perform("close").expect(200)
            try await service.host.delete(meeting.path).expect(204)
            try await service.host.post("\(meeting.path)/restore").expect(200)
            #expect(try await Self.loggedEvents(hooks) == expected + ["form.closed"])
        }
    }

    @Test func transitionsCreateOneDeliveryPerWebhookOnTwoInstances() async throws {
        try await TestHook.run { service in
            let hooks = try await Self.makeHooks(service)
            let (opens, closes) = (RFC3339.format(.now + 3600), RFC3339.format(.now + 7200))
            let meeting = try await service.openMeeting(settings: #""opens": "\#(opens)", "closes": "\#(closes)""#)
            let second = try await service.fixture.secondStore()
            let clocks = [service.fixture.store.clock, second.clock]
            func tick() async throws {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<6 { group.addTask { try await clocks[number % 2].tick() } }
                    try await group.waitForAll()
                }
            }
            var expected: [String] = []
            func expect(_ event: String?) async throws {
                try await tick()
                if let event { expected.append(event) }
                #expect(try await Self.loggedEvents(hooks) == expected)
            }
            func passTime() async throws {
                try await service.sql(
                    """
                    UPDATE form_state SET opens_at = \(fragment: .earlier("opens_at", by: "interval '90 minutes'")),
                        closes_at = \(fragment: .earlier("closes_at", by: "interval '90 minutes'"))
                    """)
            }
            try await expect(nil)
            try await passTime()
            try await expect("form.opened")
            try await passTime()
            try await expect("form.closed")
            for (verb, event) in [("reopen", "form.opened"), ("close", "form.closed"), ("reopen", "form.opened")] {
                try await meeting.perform(verb).expect(200)
                try await expect(event)
            }
            try await service.host.delete(meeting.path).expect(204)
            try await expect("form.closed")
            try await service.host.post("\(meeting.path)/restore").expect(200)
            try await expect("form.opened")
            await second.close()
        }
    }
}
