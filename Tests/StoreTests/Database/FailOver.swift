import Domain
import Foundation
import Postgres
import StrictJSON
import TestSupport
import Testing

@testable import Store

/// The loss of a primary whose commits wait for a replica, which then takes its place.
@Suite(.timeLimit(.minutes(5))) struct FailOver {
    @Test func acknowledgedSubmissionsSurviveTheLossOfThePrimary() async throws {
        let primary = try await TestServer.start(commitsSynchronously: true)
        _ = try await primary.database()
        let replica = try await primary.makeReplica()
        let maintenance = Pool(PostgresConfiguration(url: primary.url()), size: 1)
        try await maintenance.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
        try await maintenance.query("SELECT pg_reload_conf()")
        try await eventually("commits wait for the replica") {
            try await maintenance.query("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'").single()
                .decode(Int.self) == 1
        }
        await maintenance.close()
        try await TestStore.use(primary.database(onFailOverAt: replica)) { fixture in
            let meeting = try await fixture.openMeeting()
            let progress = FailOverProgress()
            try await withThrowingTaskGroup(of: [UUID].self) { group in
                for client in 0..<20 {
                    group.addTask { try await Self.submitUntilTheEnd(client, to: meeting, fixture, progress) }
                }
                try await eventually("submissions are acknowledged") { await progress.acknowledged >= 200 }
                let loss = ContinuousClock.now
                try await primary.kill()
                try await replica.promote()
                let before = await progress.acknowledged
                var again: ContinuousClock.Instant?
                try await eventually("submissions are acknowledged again") {
                    again = await progress.firstAcknowledgement(after: loss + .milliseconds(100))
                    return await progress.acknowledged > before + 20 && again != nil
                }
                let outage = try #require(again) - loss
                #expect(outage < .seconds(10), "time without service: \(outage)")
                await progress.end()
                var acknowledged: [UUID] = []
                for try await ids in group { acknowledged += ids }
                let stored = try await fixture.store.pool.query(
                    "SELECT id FROM submission WHERE form_id = \(meeting.form.id)"
                ).map { try $0.decode(UUID.self) }
                #expect(Set(acknowledged).count == acknowledged.count, "each key has a submission of its own")
                #expect(Set(acknowledged).isSubset(of: Set(stored)))
                #expect(stored.count == acknowledged.count, "each client has tried its last key until it was stored")
            }
        }
        await replica.remove()
        await primary.remove()
    }

    /// Submits with one key after another. Repeats a failed request with its key until it is acknowledged.
    private static func submitUntilTheEnd(
        _ client: Int, to meeting: Meeting, _ fixture: TestStore, _ progress: FailOverProgress
    ) async throws -> [UUID] {
        var acknowledged: [UUID] = []
        while await !progress.isOver {
            let key = "client-\(client)-key-\(acknowledged.count)"
            try await eventually("the submission is stored") {
                guard let receipt = try? await fixture.submit(#"{"pace": 4}"#, to: meeting, key: key) else {
                    return false
                }
                acknowledged.append(receipt.id)
                await progress.acknowledge()
                return true
            }
        }
        return acknowledged
    }
}

private actor FailOverProgress {
    private var times: [ContinuousClock.Instant] = []
    private(set) var isOver = false

    var acknowledged: Int { times.count }

    func acknowledge() { times.append(.now) }

    func firstAcknowledgement(after time: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        times.first { $0 > time }
    }

    func end() { isOver = true }
}
