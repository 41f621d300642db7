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
    /// The responses that the participants have received so far.
    private final class ReceivedResponses: Sendable {
        struct State {
            var acknowledged: [(path: String, receipt: String)] = []
            var refusals = 0
            var unexpected: [String] = []
        }

        let state = Mutex(State())
        let isStopped = Atomic<Bool>(false)

        /// Returns whether the submission was acknowledged.
        func record(_ response: HTTPTestClient.Response, _ meeting: TestMeeting) -> Bool {
            state.withLock { state in
                if response.status == 201, let id = response.json?["id"]?.string,
                    let receipt = response.json?["receipt"]?.string
                {
                    state.acknowledged.append(("\(meeting.submissionsPath)/\(id)", receipt))
                    return true
                }
                if response.status == 503, response.problem == "database-unavailable", response["Retry-After"] != nil {
                    state.refusals += 1
                } else {
                    state.unexpected.append(response.text)
                }
                return false
            }
        }

        var acknowledged: Int { state.withLock { $0.acknowledged.count } }
        var refusals: Int { state.withLock { $0.refusals } }
    }

    @Test func noAcknowledgedSubmissionIsLostAndTheServiceRecovers() async throws {
        let server = try await TestServer.start()
        let maintenance = try await Connection.connect(PostgresConfiguration(url: server.url()))
        // Test clusters don't wait for the disk. Here, a commit must be durable.
        try await maintenance.execute("ALTER SYSTEM SET synchronous_commit = on")
        try await maintenance.query("SELECT pg_reload_conf()")
        await maintenance.close()
        try await Migrator().migrate(url: server.url())
        let keys = try #require(KeyRing(keys: [1: RandomBytes.make(32)]))
        let store = try await Store.open(.init(url: server.url()), keys: keys, logger: TestStore.silentLogger)
        let principal = try await TestStore.account("host@example.org", "Hanna Host", .host, in: store)
        let token = try await TestService.token(of: principal, in: store)
        try await TestService.serve(store) { anyone in
            let host = anyone.bearing(token)
            let created = try await host.post(
                "/v1/meetings", json: "{\"title\": \"M\", \"questions\": \(TestStore.questions)}")
            let meeting = try TestMeeting(created: created, host: host, anyone: anyone)
            try await meeting.perform("publish").expect(200)
            let responses = ReceivedResponses()
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<6 { group.addTask { try await Self.participate(meeting, responses) } }
                try await Self.wait { responses.acknowledged >= 30 }
                try await server.kill()
                try await Self.wait { responses.refusals >= 10 }
                try await Self.checkRefusals(host, meeting)
                let before = responses.acknowledged
                try await server.restart()
                try await Self.wait { responses.acknowledged >= before + 30 }
                responses.isStopped.store(true, ordering: .relaxed)
                let sent = try await group.reduce(0, +)
                #expect(responses.acknowledged == sent, "every participant succeeded in the end")
            }
            #expect(responses.state.withLock { $0.unexpected } == [])
            let results = try await meeting.results().expect(200).decoded(as: Contract.Results.self)
            #expect(results.submissions == responses.acknowledged)
            for (path, receipt) in responses.state.withLock({ $0.acknowledged }) {
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

    /// Sends one submission after another, repeats each until it is acknowledged, and returns their number.
    private static func participate(_ meeting: TestMeeting, _ responses: ReceivedResponses) async throws -> Int {
        var sent = 0
        while !responses.isStopped.load(ordering: .relaxed) {
            sent += 1
            let key = UUID().uuidString
            while !responses.record(try await meeting.submit("{\"pace\": \(sent % 5 + 1)}", key: key), meeting) {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        return sent
    }

    private static func checkRefusals(_ host: HTTPTestClient, _ meeting: TestMeeting) async throws {
        for path in ["/readyz", "/v1/meetings", "\(meeting.path)/results", meeting.formPath] {
            let response = try await host.get(path)
            #expect(response.status == 503 && response.problem == "database-unavailable", "\(path): \(response.text)")
            #expect(response["Retry-After"] != nil && !response.text.contains(".s.PGSQL"), "\(path)")
        }
        #expect(try await host.get("/livez").status == 200)
    }

    private static func wait(_ condition: () -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while !condition() {
            guard .now < deadline else { throw TestStore.Missing("the expected responses") }
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}
