import CSV
import Domain
import Exports
import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

/// An export of an anonymous form must not reveal which answers belong to one person.
@Suite(.timeLimit(.minutes(15))) struct UnlinkedExportRows {
    private static let settings = #""anonymous": true, "minimumGroup": 3"#
    private static let questions = """
        [{"key": "better", "kind": "text", "title": "What should change?", "maxLength": 400},
         {"key": "topics", "kind": "choice", "title": "What helped?", "multiple": true, "other": true,
          "options": [{"id": "talk", "label": "The talk"}, {"id": "demo", "label": "The demo"},
           {"id": "food", "label": "The food"}]},
         {"key": "mood", "kind": "choice", "title": "How was it?", "other": true,
          "options": [{"id": "good", "label": "Good"}, {"id": "bad", "label": "Bad"}]},
         {"key": "pace", "kind": "rating", "title": "How was the pace?", "max": 3}]
        """

    /// The row of an answer: its question, option and value.
    private struct Row: Equatable {
        var question: String
        var option: String?
        var value: String
    }

    private static func bytes(_ format: ExportFormat, _ scope: ExportScope, of fixture: TestStore) async throws
        -> [UInt8]
    {
        let export = try await Export.prepare(
            .answers, of: scope, includesAttendees: true, options: ExportOptions(format: format), from: fixture.store)
        var bytes: [UInt8] = []
        _ = try await export.write { bytes += $0 }
        return bytes
    }

    private static func rows(_ format: ExportFormat, of meeting: Meeting, _ fixture: TestStore) async throws -> [Row] {
        let bytes = try await bytes(format, ExportScope(.meeting(meeting.id)), of: fixture)
        switch format {
        case .csv:
            var reader = CSVReader()
            var rows: [Row] = []
            let collect = { (event: CSVReader.Event) in
                guard case .row(let row) = event else { return }
                let fields = row.fields
                #expect(fields[1].isEmpty && fields[2].isEmpty)
                rows.append(Row(question: fields[3], option: fields[5].isEmpty ? nil : fields[5], value: fields[6]))
            }
            try reader.read(bytes, collect)
            try reader.finish(collect)
            return rows
        case .ndjson:
            return try bytes.split(separator: UInt8(ascii: "\n")).map { line in
                let row = try JSONValue.parse(Array(line))
                #expect(row["submission_id"]?.isNull == true && row["submitted_at"]?.isNull == true)
                return Row(
                    question: row["question"]?.string ?? "", option: row["option_id"]?.string,
                    value: row["value"].map { $0.string ?? ($0.isNull ? "" : $0.text) } ?? "")
            }
        case .xlsx:
            let script = """
                import openpyxl
                cells = list(openpyxl.load_workbook(path).worksheets[0].iter_rows(min_row=2, values_only=True))
                assert all(row[1] is None and row[2] is None for row in cells)
                result = [[row[3], row[5], "" if row[6] is None else str(row[6])] for row in cells]
                """
            return try (try await PythonReader.read(bytes, as: script).array ?? []).map { row in
                let cells = try #require(row.array)
                return Row(question: cells[0].string ?? "", option: cells[1].string, value: cells[2].string ?? "")
            }
        }
    }

    /// A meeting whose closed form has forty submissions, each with a pair of options and an `other` text in `topics`,
    /// and an answer to every other question.
    private static func filledMeeting(_ fixture: TestStore) async throws -> Meeting {
        let meeting = try await fixture.openMeeting(questions, settings: settings)
        let options = ["demo", "talk", "food"]
        for number in 0..<40 {
            let picks = "\"\(options[number % 3])\", \"\(options[(number + 1) % 3])\""
            let mood = number % 4 == 0 ? #"{"other": "mood \#(number)"}"# : "\"good\""
            _ = try await fixture.submit(
                """
                {"topics": [\(picks), {"other": "own \(number)"}], "better": "text \(number)", "mood": \(mood),
                 "pace": \(number % 3 + 1)}
                """, to: meeting)
        }
        _ = try await fixture.store.forms.close(meetingID: meeting.id, by: fixture.host.account.id)
        return meeting
    }

    @Test func selectionsOfAPersonAreNotAdjacent() async throws {
        try await TestStore.run { fixture in
            let meeting = try await Self.filledMeeting(fixture)
            let stored = try await fixture.store.pool.query(
                "SELECT answers->>'better' FROM submission WHERE form_id = \(meeting.form.id) ORDER BY id"
            ).map { try $0.decode(String.self).filter(\.isNumber) }
            var files: [[Row]] = []
            for format in [ExportFormat.csv, .ndjson, .xlsx] {
                let rows = try await Self.rows(format, of: meeting, fixture)
                files.append(rows)
                func answers(to question: String) -> [Row] { rows.filter { $0.question == question } }
                // The rows before the `other` texts can be derived from the counts, so they reveal no author.
                let block = { (option: String, count: Int) in
                    Array(repeating: Row(question: "topics", option: option, value: ""), count: count)
                }
                #expect(
                    answers(to: "topics").prefix(80) == block("talk", 27)[...] + block("demo", 27) + block("food", 26),
                    "\(format)")
                let otherTexts = answers(to: "topics").dropFirst(80)
                #expect(otherTexts.count == 40 && otherTexts.allSatisfy { $0.option == "other" })
                #expect(
                    answers(to: "pace").map(\.value)
                        == (1...3).flatMap { Array(repeating: "\($0)", count: $0 == 1 ? 14 : 13) })
                #expect(
                    answers(to: "mood").map(\.option) == Array(repeating: "good", count: 30)
                        + Array(repeating: "other", count: 10))
                // The order of the `other` texts is unrelated to that of another question.
                let order = otherTexts.map { $0.value.filter(\.isNumber) }
                let texts = answers(to: "better").map { $0.value.filter(\.isNumber) }
                let submitted = (0..<40).map(String.init)
                #expect(Set(order) == Set(submitted) && Set(texts) == Set(submitted))
                for other in [texts, submitted, stored] {
                    // Two random orders of forty agree in one position on average; ten would indicate a relation.
                    #expect(zip(order, other).count { $0 == $1 } < 10)
                    #expect(order != other && order != other.reversed())
                }
                let moods = answers(to: "mood").dropFirst(30).map { $0.value.filter(\.isNumber) }
                #expect(moods != order.filter(moods.contains) && moods != texts.filter(moods.contains))
            }
            #expect(files[0] == files[1] && files[1] == files[2])
        }
    }

    @Test func retiredOptionsAndNumbersAreExportedUnchanged() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(Self.questions, settings: Self.settings)
            for number in 0..<3 {
                _ = try await fixture.submit(#"{"topics": ["food"], "pace": \#(number + 1)}"#, to: meeting)
            }
            _ = try await fixture.submit("{}", to: meeting)
            let fewer = Self.questions.replacingOccurrences(
                of: #", {"id": "food", "label": "The food"}"#, with: ""
            ).replacingOccurrences(
                of: ",\n   {\"id\": \"food\", \"label\": \"The food\"}", with: "")
            try await fixture.edit(meeting, settings: Self.settings, questions: fewer)
            _ = try await fixture.store.forms.close(meetingID: meeting.id, by: fixture.host.account.id)
            let rows = try await Self.rows(.csv, of: meeting, fixture)
            #expect(
                rows == Array(repeating: Row(question: "topics", option: "food", value: ""), count: 3)
                    + (1...3).map { Row(question: "pace", option: nil, value: "\($0)") })
        }
    }

    /// A host who reads slowly, and reopens the form for one person in the meantime, must not get that person's
    /// answers.
    @Test func submissionsDuringAnExportAreNotExported() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(Self.questions, settings: Self.settings)
            let text = String(repeating: "x", count: 390)
            for _ in 0..<300 {
                _ = try await fixture.submit(#"{"better": "\#(text)", "mood": {"other": "before"}}"#, to: meeting)
            }
            _ = try await fixture.store.forms.close(meetingID: meeting.id, by: fixture.host.account.id)
            let export = try await Export.prepare(
                .answers, of: ExportScope(.meeting(meeting.id)), includesAttendees: true, options: ExportOptions(),
                from: fixture.store)
            var (bytes, chunks): ([UInt8], Int) = ([], 0)
            _ = try await export.write { chunk in
                bytes += chunk
                chunks += 1
                guard chunks == 1 else { return }
                _ = try await fixture.store.forms.reopen(
                    meetingID: meeting.id, closes: nil, by: fixture.host.account.id)
                _ = try await fixture.submit(#"{"better": "late", "mood": {"other": "late"}, "pace": 3}"#, to: meeting)
            }
            #expect(chunks > 1)
            let file = String(decoding: bytes, as: UTF8.self)
            #expect(!file.contains("late") && !file.contains("pace"))
            #expect(file.components(separatedBy: "before").count == 301)
        }
    }

    @Test func reopeningBeforeTheFirstByteAbortsTheExport() async throws {
        try await TestStore.run { fixture in
            let meeting = try await Self.filledMeeting(fixture)
            let meetingExport = try await Export.prepare(
                .answers, of: ExportScope(.meeting(meeting.id)), includesAttendees: true, options: ExportOptions(),
                from: fixture.store)
            let completeExport = try await Export.prepare(
                .answers, of: ExportScope(.all), includesAttendees: true, options: ExportOptions(), from: fixture.store)
            _ = try await fixture.store.forms.reopen(meetingID: meeting.id, closes: nil, by: fixture.host.account.id)
            let found = try await problem { _ = try await meetingExport.write { _ in } }
            #expect(found?.code == .resultsWithheld)
            #expect(
                try await completeExport.write { _ in }.rows == 0, "the form is omitted from an export of all meetings")
        }
    }
}
