import Domain
import Foundation
import Imports
import Postgres
import Store
import TestSupport
import Testing

/// A host who imports rows into an anonymous form, and then subtracts them from its results, would see the answers of
/// others.
@Suite(.timeLimit(.minutes(2))) struct ImportsIntoAnonymousForms {
    private static func map() throws -> ImportMap {
        try Sample.map(#""column":"c","key":"pick","kind":"choice","title":"T""#)
    }

    /// Calls `test` once the import of one row has made a meeting whose form has become anonymous in this state.
    private static func run(
        state: String, _ test: @Sendable (TestStore, Meeting) async throws -> Void
    ) async throws {
        try await TestStore.run { fixture in
            _ = try await fixture.importCSV("c\na\n", by: try Self.map())
            let pool = fixture.store.pool
            try await pool.execute(
                "UPDATE form_state SET anonymous = true, once_only = false, minimum_group = 3, state = \(state)")
            try await pool.execute("UPDATE timeline SET at = date_trunc('day', at, 'UTC')")
            try await pool.execute("UPDATE submission SET submitted_at = NULL")
            try await test(fixture, try #require(await fixture.meetings().first))
        }
    }

    @Test(arguments: ["open", "closed"], [true, false])
    func allRowsAreRefusedWithTheReason(state: String, isDryRun: Bool) async throws {
        try await Self.run(state: state) { fixture, meeting in
            func formState() async throws -> String {
                let rows = try await fixture.store.pool.query(
                    "SELECT concat_ws(' ', reopened, revision, submissions) FROM form_state")
                return try #require(rows.first).decode(String.self)
            }
            let before = try await formState()
            // The row that is there, further ones, and one with another option.
            for csv in ["c\na\n", "c\na\na\na\n", "c\na\nb\n"] {
                let report = try await fixture.importCSV(csv, by: try Self.map(), isDryRun: isDryRun)
                #expect(report.created == 0 && report.alreadyThere == 0 && report.newMeetings == 0)
                #expect(report.refused.count == report.rows && report.rows > 0)
                #expect(report.refused.allSatisfy { $0.code == "anonymous-form" })
                #expect(report.refused.allSatisfy { $0.reason.contains("anonymous form") })
            }
            #expect(try await formState() == before)
            #expect(try await fixture.count("submission") == 1)
            #expect(try await fixture.count("form_version") == 1)
        }
    }

    /// The form may become anonymous after an import has found it, so the rows are refused under the form's lock too.
    @Test func formThatBecomesAnonymousDuringAnImportRefusesItsRows() async throws {
        try await TestStore.run { fixture in
            // Batches to one form and to several are stored by different functions.
            let csv = "m,c\n1,a\n2,a\n3,a\n"
            let map = try ImportMap.read(
                Array(
                    """
                    {"series": {"title": "S"}, "meeting": {"by": "m", "title": "{m}"}, "questions": [
                        {"column": "c", "key": "pick", "kind": "text", "title": "T"}]}
                    """.utf8))
            var planner = ImportPlanner(map: map, hostID: fixture.host.account.id)
            try planner.read(Array(csv.utf8))
            let plan = try planner.finish()
            let series = try #require(plan.series.first)
            let meetings = series.meetings.map { meeting in
                ImportedMeeting(
                    id: meeting.id, seriesID: series.id, series: series.title, round: meeting.round,
                    title: meeting.title, startsAt: nil, endsAt: nil, timeZone: "UTC")
            }
            let importer = try fixture.store.importer
            let targets = try await importer.create(
                meetings, asking: ImportedQuestions(plan.questions), for: fixture.host.account
            ).map { try $0.get() }
            let form = PreparedForm(questions: plan.questions)
            let rows = try targets.map { target in
                ImportedRow(
                    target: target, key: "1", answers: try form.answers(from: plan.row(0).answers), submittedAt: nil)
            }
            try await fixture.store.pool.execute(
                "UPDATE form_state SET anonymous = true WHERE form_id <> \(targets[0].formID)")
            for sent in [rows, [rows[1]]] {
                let outcomes = try await importer.write(sent, of: form)
                for (row, outcome) in zip(sent, outcomes) {
                    if row.target.formID == targets[0].formID {
                        #expect(outcome == .created)
                    } else if case .refused(let problem) = outcome {
                        #expect(problem.code == .anonymousForm)
                    } else {
                        Issue.record("\(outcome)")
                    }
                }
            }
            await importer.close()
            #expect(try await fixture.count("submission") == 1)
        }
    }
}
