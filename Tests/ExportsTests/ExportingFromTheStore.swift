import CSV
import Domain
import Exports
import Foundation
import Imports
import Store
import StrictJSON
import TestSupport
import Testing

@Suite struct ExportingFromTheStore {
    private static let moodQuestions = #"[{"key": "mood", "kind": "rating", "title": "Mood", "max": 3}]"#

    private static func text(
        _ kind: ExportKind, _ scope: ExportScope, _ options: ExportOptions = ExportOptions(), of fixture: TestStore
    ) async throws -> (text: String, totals: Export.Totals) {
        let export = try await Export.prepare(
            kind, of: scope, includesAttendees: true, options: options, from: fixture.store)
        var bytes: [UInt8] = []
        let totals = try await export.write { bytes += $0 }
        #expect(totals.bytes == bytes.count)
        return (String(decoding: bytes, as: UTF8.self), totals)
    }

    /// The records of a CSV text by column. A malformed row fails the test.
    private static func records(_ text: String) throws -> [[String: String]] {
        var reader = CSVReader()
        var names: [String] = []
        var records: [[String: String]] = []
        let collect = { (event: CSVReader.Event) in
            switch event {
            case .header(let header): names = header
            case .row(let row): records.append(Dictionary(zip(names, row.fields)) { first, _ in first })
            case .fault(let fault): Issue.record("\(fault)")
            }
        }
        try reader.read(text.utf8, collect)
        try reader.finish(collect)
        return records
    }

    /// Two series with one meeting each. The first meeting has four submissions, one of them empty.
    private static func filledMeetings(_ fixture: TestStore) async throws -> (Meeting, Meeting) {
        let meeting = try await fixture.openMeeting()
        for number in 0..<3 {
            _ = try await fixture.submit(
                #"{"pace": \#(number + 1), "topics": ["talk", {"other": "=1"}], "better": "+\#(number)"}"#, to: meeting)
        }
        _ = try await fixture.submit("{}", to: meeting)
        let second = try await fixture.openMeeting(moodQuestions)
        _ = try await fixture.submit(#"{"mood": 3}"#, to: second)
        return (meeting, second)
    }

    @Test(arguments: ExportKind.allCases)
    func rowsAndColumnsAgreeInEveryScopeAndFormat(_ kind: ExportKind) async throws {
        try await TestStore.run { fixture in
            let (meeting, second) = try await Self.filledMeetings(fixture)
            let rows: [ExportKind: [Int]] = [
                .summary: [9, 3], .questions: [3, 1], .meetings: [1, 1], .submissions: [4, 1], .answers: [12, 1],
                .attendance: [0, 0],
            ]
            var extents: [(ExportScope.Extent, Int)] = [
                (.meeting(meeting.id), rows[kind]?[0] ?? 0), (.series(meeting.seriesID), rows[kind]?[0] ?? 0),
                (.meeting(second.id), rows[kind]?[1] ?? 0),
            ]
            if kind != .submissions { extents.append((.all, extents[0].1 + extents[2].1)) }
            for (extent, expected) in extents {
                let csv = try await Self.text(kind, ExportScope(extent), of: fixture)
                let ndjson = try await Self.text(kind, ExportScope(extent), ExportOptions(format: .ndjson), of: fixture)
                let records = try Self.records(csv.text)
                #expect(records.count == expected)
                #expect(csv.totals.rows == expected)
                #expect(ndjson.totals.rows == expected)
                let objects = try ndjson.text.split(separator: "\n").map { try JSONValue.parse(Array($0.utf8)) }
                #expect(objects.count == expected)
                for (record, object) in zip(records, objects) {
                    #expect(Set(record.keys) == Set((object.members ?? []).map(\.name)))
                }
            }
        }
    }

    @Test func seriesTableStartsWithTheRoundAndHasTheColumnsOfTheForm() async throws {
        try await TestStore.run { fixture in
            let (meeting, _) = try await Self.filledMeetings(fixture)
            let table = try await Self.text(.submissions, ExportScope(.series(meeting.seriesID)), of: fixture)
            #expect(
                table.text.hasPrefix(
                    #""round","meeting","id","submitted_at","form_version","pace","topics.demo","topics.talk","#
                        + #""topics.other","topics.other_text","better""# + "\r\n"))
            let records = try Self.records(table.text)
            #expect(records.map { $0["topics.other_text"] } == ["'=1", "'=1", "'=1", ""])
            #expect(records.map { $0["topics.demo"] } == ["0", "0", "0", ""])
            let summary = try Self.records(
                try await Self.text(.summary, ExportScope(.meeting(meeting.id)), of: fixture).text)
            #expect(summary.filter { $0["question"] == "pace" }.map { $0["count"] } == ["1", "1", "1", "0", "0"])
        }
    }

    @Test func emptyExportIsAHeaderOnly() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            for kind in [ExportKind.submissions, .answers] {
                let table = try await Self.text(kind, ExportScope(.meeting(meeting.id)), of: fixture)
                #expect(table.totals.rows == 0)
                #expect(table.text.split(separator: "\r\n").count == 1)
            }
            let lines = try await Self.text(
                .answers, ExportScope(.meeting(meeting.id)), ExportOptions(format: .ndjson), of: fixture)
            #expect(lines.text == "")
            let empty = ExportScope(.all, from: .distantPast, to: .distantFuture)
            #expect(try await Self.text(.meetings, empty, of: fixture).totals.rows == 0)
        }
    }

    @Test func closedAnonymousFormIsExportedWithoutAuthors() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(settings: #""anonymous": true"#)
            let scope = ExportScope(.meeting(meeting.id))
            for number in 0..<40 {
                _ = try await fixture.submit(#"{"pace": 1, "better": "\#(number)"}"#, to: meeting)
            }
            for kind in [ExportKind.submissions, .answers] {
                let found = try await problem { _ = try await Self.text(kind, scope, of: fixture) }
                #expect(found?.code == (kind == .submissions ? .anonymousForm : .resultsWithheld))
            }
            _ = try await fixture.store.forms.close(meetingID: meeting.id, by: fixture.host.account.id)
            let found = try await problem { _ = try await Self.text(.submissions, scope, of: fixture) }
            #expect(found?.code == .anonymousForm)
            let records = try Self.records(try await Self.text(.answers, scope, of: fixture).text)
            #expect(records.count == 80)
            #expect(records.allSatisfy { $0["submission_id"] == "" && $0["submitted_at"] == "" })
            let texts = records.filter { $0["question"] == "better" }.compactMap { $0["value"].flatMap { Int($0) } }
            #expect(texts.sorted() == Array(0..<40))
            #expect(texts != Array(0..<40))
        }
    }

    @Test func periodIsHalfOpenAndOmitsUndatedMeetings() async throws {
        try await TestStore.run { fixture in
            _ = try await fixture.meeting(title: "undated")
            let start = try #require(RFC3339.parse("2026-03-01T09:00:00Z"))
            for day in 0..<3 {
                let begin = start.addingTimeInterval(Double(day) * 86_400)
                let draft = MeetingDraft(
                    title: "day \(day)", startsAt: begin, endsAt: begin.addingTimeInterval(3600), timeZone: "UTC")
                _ = try await fixture.store.meetings.create(draft, by: fixture.host, once: nil) { _ in [] }
            }
            func titles(_ from: Double?, _ to: Double?) async throws -> Set<String> {
                let scope = ExportScope(
                    .all, from: from.map { start.addingTimeInterval($0 * 86_400) },
                    to: to.map { start.addingTimeInterval($0 * 86_400) })
                let table = try await Self.text(.meetings, scope, of: fixture)
                return Set(try Self.records(table.text).compactMap { $0["meeting"] })
            }
            #expect(try await titles(nil, nil) == ["undated", "day 0", "day 1", "day 2"])
            #expect(try await titles(0, 2) == ["day 0", "day 1"])
            #expect(try await titles(1, nil) == ["day 1", "day 2"])
            #expect(try await titles(nil, 1) == ["day 0"])
            #expect(try await titles(1, 1) == [])
        }
    }

    /// Rows that arrive later have earlier times, and many have the same time. They fill more than a page and a chunk.
    @Test func backdatedAnswersAreNotSkipped() async throws {
        let map = try ImportMap.read(
            Array(
                """
                {"series": {"title": "S"}, "meeting": {"title": "M"}, "submittedAt": "at", "questions": [{"column": "n", "key": "n", "kind": "text", "title": "N"}]}
                """.utf8))
        try await TestStore.run { fixture in
            let numbers = Array(1...3000).shuffled()
            for (index, part) in [numbers.prefix(1500), numbers.suffix(1500)].enumerated() {
                let rows = part.map { "2025-0\(2 - index)-\($0 % 18 + 10)T09:00:00Z,\($0)" }
                var planner = ImportPlanner(map: map, hostID: fixture.host.account.id)
                try planner.read(Array(("at,n\n" + rows.joined(separator: "\n") + "\n").utf8))
                let importer = try fixture.store.importer
                let report = try await ImportRun(
                    planner.finish(), for: fixture.host.account, through: importer, isDryRun: false
                ).run()
                await importer.close()
                #expect(report.created == 1500)
            }
            for kind in [ExportKind.submissions, .answers] {
                let meeting = try await fixture.store.exports.meetings(in: ExportScope(.all), after: nil, limit: 1)[0]
                let table = try await Self.text(kind, ExportScope(.meeting(meeting.id)), of: fixture)
                let records = try Self.records(table.text)
                let found = records.compactMap { ($0["n"] ?? $0["value"]).flatMap { Int($0) } }
                #expect(found.sorted() == Array(1...3000), "\(kind)")
                #expect(records.compactMap { $0["submitted_at"] } == records.compactMap { $0["submitted_at"] }.sorted())
            }
        }
    }

    @Test func submissionsOfAllMeetingsAreRefused() async throws {
        try await TestStore.run { fixture in
            let found = try await problem { _ = try await Self.text(.submissions, ExportScope(.all), of: fixture) }
            #expect(found?.faults.map(\.code) == ["several-series"])
        }
    }

    @Test func failingReaderEndsTheExport() async throws {
        struct Disconnected: Error {}
        try await TestStore.run { fixture in
            _ = try await Self.filledMeetings(fixture)
            let export = try await Export.prepare(
                .answers, of: ExportScope(.all), includesAttendees: true, options: ExportOptions(), from: fixture.store)
            await #expect(throws: Disconnected.self) { _ = try await export.write { _ in throw Disconnected() } }
            #expect(await fixture.store.isReady())
        }
    }

    @Test func exportThatTakesTooLongEnds() async throws {
        try await TestStore.run { fixture in
            _ = try await Self.filledMeetings(fixture)
            let export = try await Export.prepare(
                .answers, of: ExportScope(.all), includesAttendees: true, options: ExportOptions(), from: fixture.store)
            let found = try await problem { _ = try await export.write(within: .zero) { _ in } }
            #expect(found?.code == .overloaded)
            #expect(try await export.write(within: .seconds(600)) { _ in }.rows > 0)
        }
    }

    @Test func formThatBecomesAnonymousBeforeTheExportIsOmitted() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            let scope = ExportScope(.meeting(meeting.id))
            let submissions = try await Export.prepare(
                .submissions, of: scope, includesAttendees: true, options: ExportOptions(), from: fixture.store)
            let answers = try await Export.prepare(
                .answers, of: ExportScope(.all), includesAttendees: true, options: ExportOptions(), from: fixture.store)
            try await fixture.edit(meeting, settings: #""anonymous": true"#, questions: TestStore.questions)
            _ = try await fixture.submit(#"{"pace": 4}"#, to: meeting)
            let found = try await problem { _ = try await submissions.write { _ in } }
            #expect(found?.code == .anonymousForm)
            #expect(try await answers.write { _ in }.rows == 0)
            try await fixture.store.exports.submissions(of: meeting.form.id) { rows in #expect(rows.isEmpty) }
        }
    }

    @Test func formThatBecomesAnonymousDuringTheExportIsOmitted() async throws {
        try await TestStore.run { fixture in
            let first = try await fixture.openMeeting()
            let text = String(repeating: "x", count: 200)
            for _ in 0..<400 { _ = try await fixture.submit(#"{"pace": 1, "better": "\#(text)"}"#, to: first) }
            let second = try await fixture.openMeeting()
            let export = try await Export.prepare(
                .answers, of: ExportScope(.all), includesAttendees: true, options: ExportOptions(), from: fixture.store)
            var chunks = 0
            let totals = try await export.write { _ in
                chunks += 1
                guard chunks == 1 else { return }
                try await fixture.edit(second, settings: #""anonymous": true"#, questions: TestStore.questions)
                _ = try await fixture.submit(#"{"pace": 4}"#, to: second)
            }
            #expect(chunks > 1)
            #expect(totals.rows == 800)
        }
    }
}
