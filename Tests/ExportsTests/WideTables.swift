import Domain
import Foundation
import Postgres
import Store
import TestSupport
import Testing

@testable import Exports

/// Tables of submissions with thousands of columns.
@Suite(.timeLimit(.minutes(15))) struct WideTables {
    private static let rows = 600

    /// A form with 100 multiple choices of 50 options each.
    private static let questions: String = {
        let options = (0..<50).map { #"{"id": "option\#($0)", "label": "Option \#($0)"}"# }.joined(separator: ",")
        let questions = (0..<100).map {
            #"{"key": "question\#($0)", "kind": "choice", "title": "T\#($0)", "multiple": true, "options": [\#(options)]}"#
        }
        return "[\(questions.joined(separator: ","))]"
    }()

    /// A meeting with submissions that take one chunk from the database.
    private static func meeting(_ fixture: TestStore) async throws -> Meeting {
        let meeting = try await fixture.openMeeting(questions)
        _ = try await fixture.submit(#"{"question7": ["option3", "option1"]}"#, to: meeting)
        try await fixture.store.pool.execute(
            """
            INSERT INTO submission (form_id, id, version, answers, submitted_on, submitted_at)
            SELECT form_id, u.id, version, answers, submitted_on, submitted_at
            FROM submission s, unnest(\((2...rows).map { _ in UUID() })) AS u (id)
            """)
        _ = try await fixture.store.verification.run(meeting: nil, repair: true) { _, _ in }
        return meeting
    }

    @Test(arguments: [ExportFormat.csv, .ndjson, .xlsx])
    func wideRowsAreFlushedInSmallPartsFromTheirOwnThreads(_ format: ExportFormat) async throws {
        try await TestStore.run { fixture in
            let meeting = try await Self.meeting(fixture)
            let export = try await Export.prepare(
                .submissions, of: ExportScope(.meeting(meeting.id)), includesAttendees: true,
                options: ExportOptions(format: format), from: fixture.store)
            var largest = 0
            var isOnOwnThreads = true
            let totals = try await export.write { bytes in
                largest = max(largest, bytes.count)
                isOnOwnThreads = isOnOwnThreads && ExportThreads.isCurrent
            }
            #expect(totals.rows == Self.rows)
            // All rows together take 6 MB as CSV and over 60 MB as NDJSON.
            #expect(largest < 1 << 20)
            #expect(isOnOwnThreads)
            #expect(!ExportThreads.isCurrent)
        }
    }

    @Test func exportsLeaveTheThreadsOfTheCooperativePoolFree() async {
        let otherTasks = Arrivals()
        let end = ContinuousClock.now + .seconds(30)
        // Each task computes until other tasks have run, at most until `end`.
        let exports = (0..<2 * ProcessInfo.processInfo.activeProcessorCount + 2).map { _ in
            Task(executorPreference: ExportThreads.shared) {
                while otherTasks.count == 0, .now < end {}
                return otherTasks.count > 0
            }
        }
        for _ in 0..<100 { await Task.detached { await Task.yield() }.value }
        otherTasks.add()
        for export in exports { #expect(await export.value) }
    }

    @Test func questionOfSeveralRoundsIsReadOnce() async throws {
        let mood = #"{"key": "mood", "kind": "rating", "title": "Mood", "max": 3}"#
        try await TestStore.run { fixture in
            let first = try await fixture.openMeeting("[\(mood)]")
            let second = try await fixture.openMeeting(#"[{"key": "why", "kind": "text", "title": "Why"}, \#(mood)]"#)
            try await fixture.store.pool.execute(
                "UPDATE meeting SET series_id = \(first.seriesID), round = 2 WHERE id = \(second.id)")
            try await fixture.store.pool.execute("UPDATE series SET rounds = 2 WHERE id = \(first.seriesID)")
            let asked = try await fixture.store.exports.questions(in: ExportScope(.series(first.seriesID)))
            #expect(asked.questions.map(\.key) == ["mood", "why"])
        }
    }
}
