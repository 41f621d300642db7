import Domain
import Foundation
import Imports
import Postgres
import Store
import TestSupport
import Testing

/// An importer for a host checks the access to a series in each transaction. An operator's importer does not.
@Suite(.timeLimit(.minutes(2))) struct ImportingAsAHost {
    /// An import of one row with one choice.
    private struct Sent {
        let plan: ImportPlan
        let meeting: ImportedMeeting
        let questions: ImportedQuestions
        let form: PreparedForm

        init(_ csv: String, by host: Account) throws {
            var planner = ImportPlanner(
                map: try Sample.map(#""column":"c","key":"pick","kind":"choice","title":"T""#), hostID: host.id)
            try planner.read(Array(csv.utf8))
            plan = try planner.finish()
            let series = try #require(plan.series.first)
            let meeting = try #require(series.meetings.first)
            self.meeting = ImportedMeeting(
                id: meeting.id, seriesID: series.id, series: series.title, round: 1, title: meeting.title,
                startsAt: nil, endsAt: nil, timeZone: "UTC", source: csv)
            questions = ImportedQuestions(plan.questions, derived: ["pick"])
            form = PreparedForm(questions: plan.questions)
        }

        func row(_ key: String, to target: ImportTarget) throws -> ImportedRow {
            ImportedRow(
                target: target, key: key, answers: try form.answers(from: plan.row(0).answers), submittedAt: nil)
        }
    }

    /// Calls `test` with an importer of the host, whose first import made a meeting, and with the account that will
    /// get the series.
    private static func run(
        _ test: @Sendable (TestStore, Importer, Sent, ImportTarget, _ other: UUID) async throws -> Void
    ) async throws {
        try await TestStore.run { fixture in
            let other = try await TestStore.account("other@example.org", "Otto Other", .host, in: fixture.store)
            let sent = try Sent("c\na\n", by: fixture.host.account)
            let importer = try fixture.store.importer(for: fixture.host)
            let targets = try await importer.create([sent.meeting], asking: sent.questions, for: fixture.host.account)
            let target = try #require(targets.first).get()
            #expect(try await importer.write([try sent.row("1", to: target)], of: sent.form) == [.created])
            try await test(fixture, importer, sent, target, other.account.id)
            await importer.close()
        }
    }

    @Test func noStepReachesASeriesThatBelongsToAnotherHost() async throws {
        try await Self.run { fixture, importer, sent, target, other in
            try await fixture.store.pool.execute("UPDATE series SET owner_id = \(other)")
            let next = try sent.row("2", to: target)
            let host = fixture.host.account
            await #expect(throws: ImportAccessDenied.self) {
                _ = try await importer.find([sent.meeting], asking: sent.questions)
            }
            await #expect(throws: ImportAccessDenied.self) {
                _ = try await importer.create([sent.meeting], asking: sent.questions, for: host)
            }
            await #expect(throws: ImportAccessDenied.self) {
                let wider = try Sent("c\nb\n", by: host)
                _ = try await importer.create([wider.meeting], asking: wider.questions, for: host)
            }
            await #expect(throws: ImportAccessDenied.self) {
                var another = sent.meeting
                (another.id, another.round) = (UUID(), 2)
                _ = try await importer.create([another], asking: sent.questions, for: host)
            }
            await #expect(throws: ImportAccessDenied.self) {
                try await importer.recordSources(of: [sent.meeting], for: host)
            }
            await #expect(throws: ImportAccessDenied.self) { _ = try await importer.write([next], of: sent.form) }
            #expect(try await fixture.count("submission") == 1)
            #expect(try await fixture.count("meeting") == 1)
            #expect(try await fixture.count("form_version") == 1)

            let operators = try fixture.store.importer
            #expect(try await operators.write([next], of: sent.form) == [.created])
            await operators.close()
        }
    }

    /// The access is read after the lock of the series, which a removal holds until it is committed.
    @Test func accessThatEndsBeforeAWriteIsCommittedPreventsIt() async throws {
        try await Self.run { fixture, importer, sent, target, other in
            let next = try sent.row("2", to: target)
            let (write, creation) = try await fixture.store.pool.transaction { connection in
                try await connection.execute("UPDATE series SET owner_id = \(other)")
                let write = Task { try await importer.write([next], of: sent.form) }
                var another = sent.meeting
                (another.id, another.round) = (UUID(), 2)
                let creation = Task { [another] in
                    try await importer.create([another], asking: sent.questions, for: fixture.host.account)
                }
                try await Task.sleep(for: .milliseconds(300))
                return (write, creation)
            }
            await #expect(throws: ImportAccessDenied.self) { _ = try await write.value }
            await #expect(throws: ImportAccessDenied.self) { _ = try await creation.value }
            #expect(try await fixture.count("submission") == 1)
            #expect(try await fixture.count("meeting") == 1)
        }
    }
}
