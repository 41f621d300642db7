import Contract
import Cryptography
import Foundation
import Postgres
import Store
import StrictJSON
import Synchronization
import TestSupport
import Testing

/// The database is killed and restarted while participants submit.
@Suite(.timeLimit(.minutes(15))) struct DatabaseLoss {
    /// The answers that the participants got so far.
    private final class Tally: Sendable {
        struct Seen {
            var acknowledged: [(path: String, receipt: String)] = []
            var refusals = 0
            var surprises: [String] = []
        }

        let seen = Mutex(Seen())
        let isOver = Atomic<Bool>(false)

        func note(_ answer: HTTPTestClient.Answer, _ meeting: TestMeeting) -> Bool {
            seen.withLock { seen in
                if answer.status == 201, let id = answer.json?["id"]?.string,
                    let receipt = answer.json?["receipt"]?.string
                {
                    seen.acknowledged.append(("\(meeting.submissionsPath)/\(id)", receipt))
                    return true
                }
                if answer.status == 503, answer.problem == "database-unavailable", answer["Retry-After"] != nil {
                    seen.refusals += 1
                } else {
                    seen.surprises.append(answer.text)
                }
                return false
            }
        }

        var acknowledged: Int { seen.withLock { $0.acknowledged.count } }
        var refusals: Int { seen.withLock { $0.refusals } }
    }

    @Test func noAcknowledgedSubmissionIsLostAndTheServiceRecovers() async throws {
        let server = try await TestServer.start()
        let maintenance = try await Connection.connect(PostgresConfiguration(url: server.url()))
        // Test clusters don't wait for the disk; here a commit must be durable.
        try await maintenance.execute("ALTER SYSTEM SET synchronous_commit = on")
        try await maintenance.query("SELECT pg_reload_conf()")
        await maintenance.close()
        try await Migrator().migrate(url: server.url())
        let keys = try #require(KeyRing(keys: [1: RandomBytes.make(32)]))
        let store = try await Store.open(.init(url: server.url()), keys: keys, logger: TestStore.quiet)
        let principal = try await TestStore.account("host@example.org", "Hanna Host", .host, in: store)
        let token = try await TestService.token(of: principal, in: store)
        try await TestService.serve(store) { anyone in
            let host = anyone.bearing(token)
            let made = try await host.post(
                "/v1/meetings", json: "{\"title\": \"M\", \"questions\": \(TestStore.questions)}")
            let meeting = try TestMeeting(made: made, host: host, anyone: anyone)
            try await meeting.perform("publish").expect(200)
            let tally = Tally()
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<6 { group.addTask { try await Self.participate(meeting, tally) } }
                try await Self.wait { tally.acknowledged >= 30 }
                try await server.kill()
                try await Self.wait { tally.refusals >= 10 }
                try await Self.checkRefusals(host, meeting)
                let before = tally.acknowledged
                try await server.restart()
                try await Self.wait { tally.acknowledged >= before + 30 }
                tally.isOver.store(true, ordering: .relaxed)
                let keysUsed = try await group.reduce(0, +)
                #expect(tally.acknowledged == keysUsed, "every participant succeeded in the end")
            }
            #expect(tally.seen.withLock { $0.surprises } == [])
            let results = try await meeting.results().expect(200).decoded(as: Contract.Results.self)
            #expect(results.submissions == tally.acknowledged)
            for (path, receipt) in tally.seen.withLock({ $0.acknowledged }) {
                let own = try await anyone.get(path, headers: ["Authorization": "Receipt \(receipt)"])
                #expect(own.status == 200, "\(own.text)")
            }
            #expect(try await anyone.get("/readyz").status == 200)
        }
        let report = try await store.verification.run(meeting: nil, repair: false) { _, _ in }
        #expect(report.differences.isEmpty)
        await store.close()
        await server.remove()
    }

    /// Sends one submission after another, each until it is acknowledged; returns how many it began.
    private static func participate(_ meeting: TestMeeting, _ tally: Tally) async throws -> Int {
        var begun = 0
        while !tally.isOver.load(ordering: .relaxed) {
            begun += 1
            let key = UUID().uuidString
            while !tally.note(try await meeting.submit("{\"pace\": \(begun % 5 + 1)}", key: key), meeting) {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        return begun
    }

    private static func checkRefusals(_ host: HTTPTestClient, _ meeting: TestMeeting) async throws {
        for path in ["/readyz", "/v1/meetings", "\(meeting.path)/results", meeting.formPath] {
            let answer = try await host.get(path)
            #expect(answer.status == 503 && answer.problem == "database-unavailable", "\(path): \(answer.text)")
            #expect(answer["Retry-After"] != nil && !answer.text.contains(".s.PGSQL"), "\(path)")
        }
        #expect(try await host.get("/livez").status == 200)
    }

    private static func wait(_ condition: () -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while !condition() {
            guard .now < deadline else { throw TestStore.Missing("what was waited for") }
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}
