import Cryptography
import Domain
import Foundation
import Logging
import Postgres
import TestSupport
import Testing

@testable import Store

/// The steps of finalising an anonymous form. After an interruption at any step, the next run continues.
@Suite(.timeLimit(.minutes(15))) struct Finalisation {
    private static func filledMeeting(_ fixture: TestStore) async throws -> Meeting {
        let meeting = try await fixture.openMeeting(settings: #""anonymous": true"#)
        for pace in 1...5 { _ = try await fixture.submit("{\"pace\": \(pace), \"better\": \"x\"}", to: meeting) }
        return meeting
    }

    private static func state(_ meeting: Meeting, _ fixture: TestStore) async throws -> String {
        try await fixture.store.pool.query("SELECT state FROM form_state WHERE form_id = \(meeting.form.id)")
            .single().decode(String.self)
    }

    private static func ids(_ meeting: Meeting, _ fixture: TestStore) async throws -> Set<UUID> {
        let rows = try await fixture.store.pool.query("SELECT id FROM submission WHERE form_id = \(meeting.form.id)")
        return Set(try rows.map { row -> UUID in try row.decode(UUID.self) })
    }

    /// Runs finalising like the clock of a service. Returns whether the form becomes final within 60 seconds.
    private static func becomesFinal(_ meeting: Meeting, _ fixture: TestStore, by store: Store) async throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(60)
        while .now < deadline {
            try await store.clock.tick()
            await store.finalising.waitUntilIdle()
            if try await state(meeting, fixture) == "final" { return true }
            try await Task.sleep(for: .milliseconds(100))
        }
        return false
    }

    private static func connect(_ fixture: TestStore) async throws -> Connection {
        try await Connection.connect(PostgresConfiguration(url: fixture.database.url, applicationName: "reader"))
    }

    @Test func finalisingContinuesAfterARestartAtEachStep() async throws {
        try await TestStore.run { fixture in
            let (begun, unlinked) = (try await Self.filledMeeting(fixture), try await Self.filledMeeting(fixture))
            let before = try await Self.ids(begun, fixture)
            for meeting in [begun, unlinked] {
                let form = try await fixture.store.forms.finish(
                    meetingID: meeting.id, by: fixture.host.account.id)
                #expect(form.isFinalising && form.state == .closed)
            }
            try await fixture.store.pool.query("SELECT unlink_submissions(\(unlinked.form.id))")
            let copies = try await Self.ids(unlinked, fixture)
            let next = try await fixture.secondStore()
            #expect(try await Self.becomesFinal(begun, fixture, by: next))
            #expect(try await Self.becomesFinal(unlinked, fixture, by: next))
            let after = try await Self.ids(begun, fixture)
            #expect(after.count == 5 && after.isDisjoint(with: before))
            #expect(try await Self.ids(unlinked, fixture) == copies, "an unlinked form gets no new ids")
            let salts = try await fixture.store.pool.query("SELECT 1 FROM form_salt")
            #expect(salts.isEmpty)
            await next.close()
        }
    }

    /// The copying is interrupted in the middle, as in a crash.
    @Test func interruptedCopyChangesNothing() async throws {
        try await TestStore.run { fixture in
            let meeting = try await Self.filledMeeting(fixture)
            let before = try await Self.ids(meeting, fixture)
            _ = try await fixture.store.forms.finish(meetingID: meeting.id, by: fixture.host.account.id)
            let holder = try await Self.connect(fixture)
            try await holder.script("BEGIN")
            try await holder.query("SELECT 1 FROM tally WHERE form_id = \(meeting.form.id) FOR UPDATE")
            fixture.store.finalising.resume()
            try await fixture.database.waitUntilBlocked(1)
            #expect(try await Self.ids(meeting, fixture) == before)
            try await fixture.database.terminateBlockedConnections()
            await fixture.store.finalising.waitUntilIdle()
            #expect(try await Self.ids(meeting, fixture) == before)
            #expect(try await Self.state(meeting, fixture) == "finalising")
            try await holder.script("ROLLBACK")
            await holder.close()
            let next = try await fixture.secondStore()
            #expect(try await Self.becomesFinal(meeting, fixture, by: next))
            await next.close()
        }
    }

    /// The blocking session is logged once, and the clock still processes all other forms.
    @Test func finalisingWaitsForTransactionsThatSeeTheOldRows() async throws {
        try await TestStore.run { fixture in
            let tape = LogTape()
            let store = try await Store.open(
                .init(url: fixture.database.url), keys: fixture.keys, logger: tape.logger(.warning))
            let meeting = try await Self.filledMeeting(fixture)
            let reader = try await Self.connect(fixture)
            try await reader.script("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM submission")
            _ = try await store.forms.finish(meetingID: meeting.id, by: fixture.host.account.id)
            for _ in 0..<2 {
                store.finalising.resume(ignoresPause: true)
                await store.finalising.waitUntilIdle()
            }
            #expect(try await Self.state(meeting, fixture) == "finalising")
            #expect(tape.lines.count == 1, "\(tape.lines)")
            let line = try #require(tape.lines.first)
            #expect(line.contains(meeting.form.id.uuidString) && line.contains("(reader), in a transaction since"))
            let delay = try #require(try await FinalisingDelay.read(url: fixture.database.url, after: 0))
            #expect(delay.meetings == [meeting.id])
            #expect(delay.reasons.contains { $0.contains("(reader), in a transaction since") }, "\(delay.reasons)")
            #expect(try await FinalisingDelay.read(url: fixture.database.url) == nil)
            let other = try await fixture.openMeeting()
            _ = try await fixture.submit(#"{"pace": 4}"#, to: other, through: store)
            try await fixture.store.pool.execute(
                "UPDATE form_state SET closes_at = now() - interval '1 hour' WHERE form_id = \(other.form.id)")
            #expect(try await store.clock.tick().map(\.event) == [.closed])
            try await reader.script("COMMIT")
            await reader.close()
            #expect(try await Self.becomesFinal(meeting, fixture, by: store))
            await store.close()
        }
    }

    /// The rows are on the workers, where a transaction may have begun without the coordinator.
    @Test(.enabled(if: TestCluster.usesCitus)) func finalisingWaitsForTransactionsOnWorkers() async throws {
        try await TestStore.run { fixture in
            let meeting = try await Self.filledMeeting(fixture)
            var readers: [Connection] = []
            for url in fixture.database.workerURLs {
                let reader = try await Connection.connect(PostgresConfiguration(url: url, applicationName: "reader"))
                try await reader.script("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM pg_class")
                readers.append(reader)
            }
            #expect(readers.count > 1)
            _ = try await fixture.store.forms.finish(meetingID: meeting.id, by: fixture.host.account.id)
            fixture.store.finalising.resume(ignoresPause: true)
            await fixture.store.finalising.waitUntilIdle()
            #expect(try await Self.state(meeting, fixture) == "finalising")
            let delay = try #require(try await FinalisingDelay.read(url: fixture.database.url, after: 0))
            #expect(delay.reasons.contains { $0.contains("(reader)") && $0.contains("on the worker") })
            for reader in readers { await reader.close() }
            #expect(try await Self.becomesFinal(meeting, fixture, by: fixture.store))
        }
    }

    /// New snapshots reach back to the oldest writing transaction of the whole server, even in another database.
    @Test func finalisingWaitsForWritersInOtherDatabases() async throws {
        try await TestStore.run { fixture in
            let elsewhere =
                TestCluster.usesCitus ? try await TestStore.database() : try await TestCluster.database()
            let writer = try await Connection.connect(PostgresConfiguration(url: elsewhere.url))
            try await writer.script("BEGIN; CREATE TABLE something (id int)")
            let mark = try await fixture.store.pool.query("SELECT pg_snapshot_xmax(pg_current_snapshot())::text")
                .single().decode(String.self)
            let connection = try await Self.connect(fixture)
            // Allocates a transaction id, so that the next mark is later than all earlier transactions.
            try await connection.execute("SELECT pg_current_xact_id()")
            let later = try await connection.query("SELECT pg_snapshot_xmax(pg_current_snapshot())::text")
                .single().decode(String.self)
            let marks: Set = [VacuumBlockers.Mark(local: mark), VacuumBlockers.Mark(local: later)]
            #expect(try await VacuumBlockers.passed([.init(local: later)], on: connection) == [])
            #expect(try await !VacuumBlockers.names(before: .init(local: later), on: connection).isEmpty)
            try await writer.script("ROLLBACK")
            await writer.close()
            let deadline = ContinuousClock.now + .seconds(60)
            while try await VacuumBlockers.passed(marks, on: connection).count < 2 {
                // Other tests write at the same time.
                try #require(.now < deadline)
                try await Task.sleep(for: .milliseconds(20))
            }
            await connection.close()
            try await elsewhere.drop()
        }
    }

    /// VACUUM skips tables of other owners with only a warning.
    @Test func finalisingWithoutTheRightToVacuumIsReportedAndRetried() async throws {
        try await TestStore.run { fixture in
            let connection = try await Self.connect(fixture)
            try await connection.script(
                """
                DO $$ BEGIN
                    CREATE ROLE afterword_clerk LOGIN;
                EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
                GRANT afterword_app TO afterword_clerk;
                """)
            let tape = LogTape()
            let clerk = try await Store.open(
                .init(url: fixture.database.url(user: "afterword_clerk")), keys: fixture.keys,
                logger: tape.logger(.warning))
            let meeting = try await Self.filledMeeting(fixture)
            _ = try await clerk.forms.finish(meetingID: meeting.id, by: fixture.host.account.id)
            clerk.finalising.resume()
            await clerk.finalising.waitUntilIdle()
            #expect(try await Self.state(meeting, fixture) == "finalising")
            #expect(tape.lines.count == 1 && tape.lines[0].contains("afterword_owner"), "\(tape.lines)")
            let url = fixture.database.url(user: "afterword_clerk")
            let delay = try #require(try await FinalisingDelay.read(url: url, after: 0))
            #expect(delay.reasons.contains { $0.contains("afterword_owner") })
            #expect(delay.reasons.contains { $0.contains("GRANT pg_read_all_stats") }, "\(delay.reasons)")
            await clerk.close()
            await connection.close()
            #expect(try await Self.becomesFinal(meeting, fixture, by: fixture.store))
        }
    }

    @Test func twoInstancesFinaliseManyForms() async throws {
        try await TestStore.run { fixture in
            var meetings: [Meeting] = []
            for _ in 0..<8 { meetings.append(try await Self.filledMeeting(fixture)) }
            let next = try await fixture.secondStore()
            for meeting in meetings {
                _ = try await fixture.store.forms.finish(meetingID: meeting.id, by: fixture.host.account.id)
                fixture.store.finalising.resume(ignoresPause: true)
                next.finalising.resume(ignoresPause: true)
            }
            for meeting in meetings { #expect(try await Self.becomesFinal(meeting, fixture, by: next)) }
            await next.close()
        }
    }
}
