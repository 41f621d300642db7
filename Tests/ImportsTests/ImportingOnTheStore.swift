import Domain
import Exports
import Foundation
import Imports
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

/// Each test ends with a recount of all tallies, including the timeline.
@Suite struct ImportingOnTheStore {
    private let pick = #""column":"c","key":"pick","kind":"choice","title":"T""#

    private func ratings() throws -> (ImportMap, [UInt8]) {
        (try ImportMap.read(try Sample.fixture("lecture_ratings.map.json")), try Sample.fixture("lecture_ratings.csv"))
    }

    @Test func realRatingsBecomeClosedFormsWithTheirCounts() async throws {
        let (map, csv) = try ratings()
        try await TestStore.run { fixture in
            let report = try await fixture.importCSV(csv, by: map)
            #expect(report.created == 396)
            #expect(report.newSeries == 14)
            #expect(report.newMeetings == 49)
            #expect(report.alreadyThere == 0)
            #expect(report.refusedCount == 0)
            let meetings = try await fixture.meetings()
            #expect(meetings.count == 49)
            #expect(meetings.allSatisfy { $0.form.life.stored == .closed && $0.form.version == 1 && $0.phase == nil })
            var counts = [Int](repeating: 0, count: 5)
            for meeting in meetings {
                let results = try await fixture.store.results.read(meeting.form.id)
                let rating = try #require(results.questions.first { $0.key == "rating" })
                for (index, count) in (rating.datasets.first?.data ?? []).enumerated() { counts[index] += count }
            }
            let lines = String(decoding: csv, as: UTF8.self).split(whereSeparator: \.isNewline).dropFirst()
            let expected = (1...5).map { rating in lines.count { $0.hasSuffix(",\(rating)") } }
            #expect(counts == expected)
        }
    }

    @Test func secondRunAddsNothing() async throws {
        let (map, csv) = try ratings()
        try await TestStore.run { fixture in
            _ = try await fixture.importCSV(csv, by: map)
            let tables = ["series", "meeting", "form", "form_version", "question", "submission", "tally", "audit"]
            let before = try await tables.asyncMap(fixture.count)
            let again = try await fixture.importCSV(csv, by: map)
            #expect(again.created == 0)
            #expect(again.newSeries == 0)
            #expect(again.newMeetings == 0)
            #expect(again.alreadyThere == 396)
            #expect(again.series == 14)
            #expect(again.meetings == 49)
            #expect(try await tables.asyncMap(fixture.count) == before)
        }
    }

    @Test func concurrentRunsAddEachRowOnce() async throws {
        let (map, csv) = try ratings()
        try await TestStore.run { fixture in
            async let first = fixture.importCSV(csv, by: map)
            async let second = fixture.importCSV(csv, by: map)
            let created = try await first.created + second.created
            #expect(created == 396)
            #expect(try await fixture.count("submission") == 396)
            #expect(try await fixture.count("meeting") == 49)
        }
    }

    @Test func dryRunPredictsTheRunAndWritesNothing() async throws {
        let (map, csv) = try ratings()
        let half = csv.prefix(csv.count / 2)
        let firstLines = Array(half[...(half.lastIndex(of: 0x0A) ?? 0)])
        try await TestStore.run { fixture in
            for file in [firstLines, csv, csv] {
                let submissions = try await fixture.count("submission")
                let predicted = try await fixture.importCSV(file, by: map, isDryRun: true)
                #expect(try await fixture.count("submission") == submissions)
                #expect(try await fixture.importCSV(file, by: map) == predicted)
            }
        }
    }

    @Test func invalidRowsAreReportedAndTheOthersImported() async throws {
        let map = try Sample.map(
            #""column":"r","key":"rate","kind":"rating","title":"T","required":true"#,
            #""column":"t","key":"say","kind":"text","title":"T","maxLength":3"#)
        let csv = "r,t\n3,abc\n6,abc\n3.5,abcd\n,\n1,\"x\"y\"\n\"2\",ok\n2\n"
        try await TestStore.run { fixture in
            let report = try await fixture.importCSV(csv, by: map)
            #expect(report.created == 2)
            #expect(report.refusedCount == 5)
            #expect(report.rows == 7)
            let refused = report.refused.sorted { $0.line < $1.line }.map { "\($0.line) \($0.column) \($0.code)" }
            #expect(
                refused == [
                    "3 r out-of-range", "4 r not-an-integer", "4 t too-long", "5 r required", "6 t broken-quote",
                    "8  ragged-row",
                ])
            #expect(report.refused.allSatisfy { $0.reason.hasSuffix(".") })
        }
    }

    @Test func mapWithOtherQuestionsIsRefusedBeforeAnyWrite() async throws {
        try await TestStore.run { fixture in
            _ = try await fixture.importCSV("c\na\n", by: try Sample.map(pick))
            for other in [
                #""column":"c","key":"pick","kind":"text","title":"T""#,
                #""column":"c","key":"pick","kind":"choice","title":"T","options":[{"id":"a","label":"Alpha"}]"#,
                #""column":"c","key":"picked","kind":"choice","title":"T""#,
            ] {
                let mismatch = await #expect(throws: ImportMismatch.self) {
                    try await fixture.importCSV("c\na\n", by: try Sample.map(other))
                }
                #expect(mismatch?.description.hasPrefix("The meeting “M” of the series “S” already exists") == true)
                #expect(mismatch?.keys.contains { $0.hasPrefix("pick") } == true)
            }
            #expect(try await fixture.count("submission") == 1)
            #expect(try await fixture.count("form_version") == 1)
        }
    }

    @Test func newValuesOfAChoiceCreateAVersion() async throws {
        let map = try Sample.map(pick)
        try await TestStore.run { fixture in
            _ = try await fixture.importCSV("c\nb\n", by: map)
            let wider = try await fixture.importCSV("c\na\nb\nc\n", by: map)
            #expect(wider.created == 2)
            #expect(wider.alreadyThere == 1)
            let meeting = try #require(try await fixture.meetings().first)
            #expect(meeting.form.version == 2)
            #expect(meeting.form.life.stored == .closed)
            let results = try await fixture.store.results.read(meeting.form.id)
            #expect(results.questions.first?.labels == ["b", "a", "c"])
            #expect(results.questions.first?.datasets.first?.data == [1, 1, 1])
            // Fewer values than the form has options require no new version.
            let narrower = try await fixture.importCSV("c\na\na\n", by: map)
            #expect(narrower.created == 1)
            #expect(narrower.alreadyThere == 1)
            #expect(try await fixture.count("form_version") == 2)
        }
    }

    @Test func existingRoundNumberIsSkipped() async throws {
        let map = try ImportMap.read(
            Array(
                """
                {"series":{"title":"S"},"meeting":{"by":"m","title":"M{m}"},
                 "questions":[{"column":"r","key":"r","kind":"rating","title":"T"}]}
                """.utf8))
        try await TestStore.run { fixture in
            _ = try await fixture.importCSV("m,r\n1,1\n3,1\n", by: map)
            let report = try await fixture.importCSV("m,r\n1,1\n2,1\n3,1\n", by: map)
            #expect(report.newSeries == 0)
            #expect(report.newMeetings == 1)
            #expect(report.created == 1)
            let meetings = try await fixture.meetings()
            #expect(meetings.map { "\($0.round) \($0.title)" } == ["1 M1", "2 M3", "3 M2"])
        }
    }

    @Test func meetingsThatOverlapAreRefusedWithTheirRows() async throws {
        let map = try ImportMap.read(
            Array(
                """
                {"series":{"title":"S"},
                 "meeting":{"by":"m","title":"M{m}","startsAt":"from","endsAt":"to","timeZone":"Europe/Berlin"},
                 "submittedAt":"at","questions":[{"column":"r","key":"r","kind":"rating","title":"T"}]}
                """.utf8))
        let csv = """
            m,from,to,at,r
            1,2024-05-01T09:00:00Z,2024-05-01T10:00:00Z,2024-05-01T10:01:00Z,1
            2,2024-05-01T09:30:00Z,2024-05-01T11:00:00Z,2024-05-01T10:02:00Z,2
            3,2024-05-02T09:00:00Z,2024-05-02T10:00:00Z,2024-05-02T10:03:00Z,3

            """
        try await TestStore.run { fixture in
            let report = try await fixture.importCSV(csv, by: map)
            #expect(report.created == 2)
            #expect(report.refused.map { "\($0.line) \($0.code)" } == ["3 meeting-overlap"])
            let meetings = try await fixture.meetings()
            #expect(meetings.map(\.localDate) == ["2024-05-01", "2024-05-02"])
            var times: [Date?] = []
            for meeting in meetings {
                try await fixture.store.exports.submissions(of: meeting.form.id) { times += $0.map(\.submittedAt) }
            }
            let expected = ["2024-05-01T10:01:00Z", "2024-05-02T10:03:00Z"].map(RFC3339.parse)
            #expect(times == expected)
        }
    }

    @Test func meetingInTheTrashIsRefused() async throws {
        let map = try Sample.map(pick)
        try await TestStore.run { fixture in
            _ = try await fixture.importCSV("c\na\n", by: map)
            let meeting = try #require(try await fixture.meetings().first)
            try await fixture.store.meetings.trash(meeting.id, by: fixture.host)
            for isDryRun in [true, false] {
                let report = try await fixture.importCSV("c\na\na\n", by: map, isDryRun: isDryRun)
                #expect(report.created == 0)
                #expect(report.refused.map(\.reason) == Array(repeating: "The meeting is in the trash.", count: 2))
            }
        }
    }

    @Test func unknownTimeZoneIsRefused() async throws {
        try await TestStore.run { fixture in
            let refusal = try await problem { try await fixture.store.requireTimeZone("Middle/Earth") }
            #expect(refusal?.faults.map(\.code) == ["unknown-time-zone"])
        }
    }
}

extension Sequence {
    fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}
