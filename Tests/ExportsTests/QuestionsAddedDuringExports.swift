import Domain
import Exports
import Foundation
import Postgres
import Store
import TestSupport
import Testing

@Suite struct QuestionsAddedDuringExports {
    private static let mood = #"{"key": "mood", "kind": "rating", "title": "Mood", "max": 3}"#
    private static let moodAndWhy = #"[\#(mood), {"key": "why", "kind": "text", "title": "Why"}]"#

    private static func prepare(
        _ extent: ExportScope.Extent, _ format: ExportFormat = .csv, of fixture: TestStore
    ) async throws -> Export {
        try await Export.prepare(
            .submissions, of: ExportScope(extent), includesAttendees: true, options: ExportOptions(format: format),
            from: fixture.store)
    }

    /// Two rounds of a series that ask for a mood. The first has submissions for several chunks.
    private static func rounds(_ fixture: TestStore) async throws -> (Meeting, Meeting) {
        let first = try await fixture.openMeeting(#"[\#(mood), {"key": "note", "kind": "text", "title": "N"}]"#)
        let text = String(repeating: "x", count: 500)
        for _ in 0..<300 { _ = try await fixture.submit(#"{"mood": 1, "note": "\#(text)"}"#, to: first) }
        let second = try await fixture.openMeeting("[\(mood)]")
        try await fixture.store.pool.execute(
            "UPDATE meeting SET series_id = \(first.seriesID), round = 2 WHERE id = \(second.id)")
        try await fixture.store.pool.execute("UPDATE series SET rounds = 2 WHERE id = \(first.seriesID)")
        return (first, second)
    }

    @Test(arguments: [ExportFormat.csv, .ndjson])
    func questionAddedBeforeTheFirstRowHasItsColumn(_ format: ExportFormat) async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting("[\(Self.mood)]")
            for extent in [ExportScope.Extent.meeting(meeting.id), .series(meeting.seriesID)] {
                try await fixture.edit(meeting, settings: "", questions: "[\(Self.mood)]")
                let export = try await Self.prepare(extent, format, of: fixture)
                try await fixture.edit(meeting, settings: "", questions: Self.moodAndWhy)
                let answer = "because \(UUID())"
                _ = try await fixture.submit(#"{"mood": 2, "why": "\#(answer)"}"#, to: meeting)
                var bytes: [UInt8] = []
                let totals = try await export.write { bytes += $0 }
                #expect(totals.bytes == bytes.count)
                #expect(String(decoding: bytes, as: UTF8.self).contains(answer))
            }
        }
    }

    @Test func optionAddedBeforeTheFirstRowHasItsColumn() async throws {
        func choice(_ options: String) -> String {
            #"[{"key": "topics", "kind": "choice", "title": "T", "multiple": true, "options": [\#(options)]}]"#
        }
        try await TestStore.run { fixture in
            let (one, two) = (#"{"id": "one", "label": "One"}"#, #"{"id": "two", "label": "Two"}"#)
            let meeting = try await fixture.openMeeting(choice("\(one), \(two)"))
            let export = try await Self.prepare(.meeting(meeting.id), of: fixture)
            let three = #"{"id": "three", "label": "Three"}"#
            try await fixture.edit(meeting, settings: "", questions: choice("\(one), \(two), \(three)"))
            _ = try await fixture.submit(#"{"topics": ["three"]}"#, to: meeting)
            var bytes: [UInt8] = []
            _ = try await export.write { bytes += $0 }
            let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
            #expect(lines.first?.contains("topics.three") == true)
            #expect(lines.last?.hasSuffix("0,0,1") == true)
        }
    }

    @Test func questionAddedAfterTheFirstRowsEndsTheExport() async throws {
        try await TestStore.run { fixture in
            let (first, second) = try await Self.rounds(fixture)
            let export = try await Self.prepare(.series(first.seriesID), of: fixture)
            var chunks = 0
            let found = try await problem {
                _ = try await export.write { _ in
                    chunks += 1
                    guard chunks == 1 else { return }
                    try await fixture.edit(second, settings: "", questions: Self.moodAndWhy)
                    _ = try await fixture.submit(#"{"why": "because"}"#, to: second)
                }
            }
            #expect(found?.code == .preconditionFailed)
            let complete = try await Self.prepare(.series(first.seriesID), of: fixture)
            #expect(try await complete.write { _ in }.rows == 301)
        }
    }

    @Test func changedTitleDoesNotEndTheExport() async throws {
        try await TestStore.run { fixture in
            let (first, second) = try await Self.rounds(fixture)
            let export = try await Self.prepare(.series(first.seriesID), of: fixture)
            var chunks = 0
            let totals = try await export.write { _ in
                chunks += 1
                guard chunks == 1 else { return }
                let renamed = Self.mood.replacingOccurrences(of: "Mood", with: "Your mood")
                try await fixture.edit(second, settings: "", questions: "[\(renamed)]")
                _ = try await fixture.submit(#"{"mood": 3}"#, to: second)
            }
            #expect(totals.rows == 301)
        }
    }
}
