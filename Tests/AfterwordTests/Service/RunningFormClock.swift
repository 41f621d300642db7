import Cryptography
import Foundation
import Logging
import Postgres
import ServiceLifecycle
import Store
import StrictJSON
import TestSupport
import Testing

@testable import afterword

/// The form clock of a running service, and of one that was stopped or lost its database.
@Suite(.timeLimit(.minutes(15))) struct RunningFormClock {
    @Test func draftsArePublishedAndMissedWorkIsDoneAtTheNextStart() async throws {
        let folder = try TemporaryFolder()
        let data = folder / "data"
        let first = try await RunningService(["--data", data])
        let client = try await first.admin(in: data)
        func draft(_ start: Date) async throws -> String {
            let end = start.addingTimeInterval(3600)
            let created = try await client.post(
                "/v1/meetings",
                json: """
                    {"title": "Retro", "startsAt": "\(RFC3339.format(start))", "endsAt": "\(RFC3339.format(end))",
                     "timeZone": "UTC", "allowOverlap": true}
                    """
            ).expect(201)
            let id = try created.string("id")
            let form = #"{"autoPublish": true, "questions": [{"key": "a", "kind": "text", "title": "A"}]}"#
            try await client.put("/v1/meetings/\(id)/form", json: form, headers: ["If-Match": "*"]).expect(200)
            return id
        }
        func opens(_ id: String, by client: HTTPTestClient) async throws -> Bool {
            let deadline = ContinuousClock.now + .seconds(30)
            while .now < deadline {
                if try await client.get("/v1/meetings/\(id)/form").string("state") == "open" { return true }
                try await Task.sleep(for: .milliseconds(50))
            }
            return false
        }
        let soon = try await draft(Date(timeIntervalSinceNow: 2))
        #expect(try await opens(soon, by: client))
        let start = Date(timeIntervalSinceNow: 5)
        let later = try await draft(start)
        #expect(await first.stop() == 0)
        try await Task.sleep(for: .seconds(max(0, start.timeIntervalSinceNow)))
        try await RunningService(["--data", data]).using { second async throws in
            let client = HTTPTestClient(port: second.port, authorization: client.authorization)
            #expect(try await opens(later, by: client))
        }
    }

    @Test func lostDatabaseIsLoggedOnceAndTheClockContinues() async throws {
        let server = try await TestServer.start()
        try await Migrator().migrate(url: server.url())
        let keys = try #require(KeyRing(keys: [1: RandomBytes.make(32)]))
        let store = try await Store.open(.init(url: server.url()), keys: keys, logger: TestStore.silentLogger)
        let principal = try await TestStore.account("host@example.org", "Hanna Host", .host, in: store)
        let token = try await TestService.token(of: principal, in: store)
        let tape = LogTape()
        let service = FormClockService(store: store, pause: .milliseconds(20), logger: tape.logger(.warning))
        let group = ServiceGroup(configuration: .init(services: [service], logger: TestStore.silentLogger))
        async let running: Void = group.run()
        try await TestService.serve(store) { anyone in
            let host = anyone.bearing(token)
            for losses in 1...2 {
                try await server.stop()
                try await Self.wait { tape.lines.count >= losses }
                try await server.restart()
                try await Self.wait { await store.isReady() }
                // The published draft shows that the clock runs again.
                let times = #""startsAt": "2026-01-01T09:00:00Z", "endsAt": "2026-01-01T10:00:00Z", "timeZone": "UTC""#
                let created = try await host.post(
                    "/v1/meetings", json: "{\"title\": \"M\", \"allowOverlap\": true, \(times)}")
                let meeting = try TestMeeting(created: created, host: host, anyone: anyone)
                try await meeting.define("{\"autoPublish\": true, \"questions\": \(TestStore.questions)}").expect(200)
                try await Self.wait { try await meeting.form().string("state") == "open" }
            }
        }
        #expect(tape.lines.count == 2, "\(tape.lines)")
        await group.triggerGracefulShutdown()
        try await running
        await store.close()
        await server.remove()
    }

    private static func wait(until isMet: () async throws -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while try await !isMet() {
            guard .now < deadline else { throw TestStore.Missing("the awaited condition") }
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}
