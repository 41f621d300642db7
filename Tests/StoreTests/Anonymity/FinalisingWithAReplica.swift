import Domain
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Store

/// An anonymous form becomes final on the primary and on its replica.
@Suite(.timeLimit(.minutes(5))) struct FinalisingWithAReplica {
    private static func ids(_ meeting: Meeting, on pool: Pool) async throws -> Set<UUID> {
        let rows = try await pool.query("SELECT id FROM submission WHERE form_id = \(meeting.form.id)")
        return Set(try rows.map { row -> UUID in try row.decode(UUID.self) })
    }

    private static func isFinal(_ meeting: Meeting, on pool: Pool) async throws -> Bool {
        try await pool.query("SELECT state = 'final' FROM form_state WHERE form_id = \(meeting.form.id)").single()
            .decode(Bool.self)
    }

    /// A snapshot on a replica with `hot_standby_feedback` still sees the old rows.
    @Test func finalisingWaitsForSnapshotsOfTheReplica() async throws {
        let primary = try await TestServer.start(commitsSynchronously: true)
        let database = try await primary.database()
        let replica = try await primary.makeReplica()
        try await TestStore.use(database) { fixture in
            let (store, onReplica) = (
                fixture.store, Pool(PostgresConfiguration(url: replica.url(database: database.name)), size: 1)
            )
            let meeting = try await fixture.openMeeting(settings: #""anonymous": true"#)
            for pace in 1...5 { _ = try await fixture.submit("{\"pace\": \(pace)}", to: meeting) }
            let before = try await Self.ids(meeting, on: store.pool)
            let reader = try await Connection.connect(
                PostgresConfiguration(url: replica.url(database: database.name), applicationName: "reader"))
            try await eventually("the replica has the submissions") {
                try await Self.ids(meeting, on: onReplica) == before
            }
            try await reader.script("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM submission")
            let superuser = Pool(PostgresConfiguration(url: primary.url()), size: 1)
            try await eventually("the primary knows of the snapshot") {
                try await superuser.query("SELECT count(*) FROM pg_stat_replication WHERE backend_xmin IS NOT NULL")
                    .single().decode(Int.self) == 1
            }
            await superuser.close()
            _ = try await store.forms.finish(meetingID: meeting.id, by: fixture.host.account.id)
            for _ in 0..<3 {
                store.finalising.resume(ignoresPause: true)
                await store.finalising.waitUntilIdle()
                #expect(try await !Self.isFinal(meeting, on: store.pool))
            }
            try await reader.script("COMMIT")
            await reader.close()
            try await eventually("the form is final") {
                store.finalising.resume(ignoresPause: true)
                await store.finalising.waitUntilIdle()
                return try await Self.isFinal(meeting, on: store.pool)
            }
            try await eventually("the form is final on the replica") { try await Self.isFinal(meeting, on: onReplica) }
            #expect(try await Self.ids(meeting, on: onReplica).isDisjoint(with: before))
            await onReplica.close()
        }
        await replica.remove()
        await primary.remove()
    }
}
