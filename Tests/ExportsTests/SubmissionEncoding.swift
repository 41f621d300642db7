import Domain
import Foundation
import Postgres
import Spreadsheets
import Store
import StrictJSON
import TestSupport
import Testing

@testable import Exports

/// `SubmissionEncoder`, which copies bytes of the database, writes the same rows as `TableWriter` writes from cells.
@Suite struct SubmissionEncoding {
    private static let options = [
        ExportOptions(), ExportOptions(bom: true, delimiter: UInt8(ascii: ";"), raw: true),
        ExportOptions(delimiter: UInt8(ascii: "\t"), titles: true), ExportOptions(format: .ndjson),
        ExportOptions(format: .ndjson, titles: true, raw: true),
    ]

    /// Texts that a format has to escape, quote or guard.
    private static let texts = [
        "=1+1", "'=1", "''@x", "'", "\t=1", "\rx", "a\tb\r\nc", "\u{1}\u{8}\u{C}\u{1F}\u{7F}", "\"", "\"\"x\"", "\\",
        "\\n",
        "\\u0041", "/", "한국 👩‍👩‍👧 e\u{301}", "a\u{2028}b", "{\"other\": \"x\"}", "null", "0", "-5", ",;\t", "x", "+",
    ]

    /// Two rounds of a series with random forms, which are edited between the answers. Some submissions are corrected
    /// or withdrawn, have hidden texts or name an attendee.
    private static func rounds(_ fixture: TestStore, _ random: inout SeededNumbers) async throws -> [Meeting] {
        var meetings: [Meeting] = []
        for number in 1...2 {
            var definition = random.definition(2...8)
            let meeting = try await fixture.openMeeting(JSONValue.array(Question.documents(definition.questions)).text)
            var version = 1
            for _ in 1...3 {
                for _ in 0...random.int(3...12) {
                    let answers = answers(to: definition, &random)
                    let receipt = try await fixture.submit(answers.text, to: meeting, version: version)
                    try await changeRandomly(receipt, of: meeting, definition, version, fixture, &random)
                }
                definition = random.edited(definition, retired: [])
                version = try await fixture.store.forms.save(
                    definition, meetingID: meeting.id, by: fixture.host.account.id
                ) { _ in }.version
            }
            try await fixture.store.pool.execute(
                """
                UPDATE meeting SET series_id = \(meetings.first?.seriesID ?? meeting.seriesID), round = \(number)::int,
                    title = 'Round "' || \(number)::int || '"'
                WHERE id = \(meeting.id)
                """)
            meetings.append(meeting)
        }
        try await fixture.store.pool.execute("UPDATE series SET rounds = 2 WHERE id = \(meetings[0].seriesID)")
        return meetings
    }

    private static func answers(to definition: FormDefinition, _ random: inout SeededNumbers) -> JSONValue {
        guard case .object(var members) = random.answers(to: definition) else { return .null }
        for index in members.indices {
            switch definition.questions.first(where: { $0.key == members[index].name })?.kind {
            case .text where random.chance(): members[index].value = .string(random.one(of: texts))
            case .choice(let choice) where choice.other && !choice.multiple && random.chance():
                members[index].value = .object([.init("other", .string(random.one(of: texts)))])
            default: break
            }
        }
        return .object(members)
    }

    /// Sometimes corrects or withdraws a submission, hides a text or names an attendee.
    private static func changeRandomly(
        _ receipt: SubmissionReceipt, of meeting: Meeting, _ definition: FormDefinition, _ version: Int,
        _ fixture: TestStore, _ random: inout SeededNumbers
    ) async throws {
        let submissions = fixture.store.submissions
        switch random.int(0...8) {
        case 0:
            _ = try await submissions.correct(
                receipt.id, code: meeting.form.code, receipt: receipt.receipt, version: version,
                answers: answers(to: definition, &random))
        case 1: try await submissions.withdraw(receipt.id, code: meeting.form.code, receipt: receipt.receipt)
        case 2:
            let key = random.one(of: definition.questions).key
            try await fixture.store.pool.execute(
                "UPDATE submission SET hidden = \([key]) WHERE form_id = \(meeting.form.id) AND id = \(receipt.id)")
        case 3:
            let attendee = UUID()
            try await fixture.store.pool.execute(
                """
                INSERT INTO attendee (id, meeting_id, name, email)
                VALUES (\(attendee), \(meeting.id), \(random.text()), \("\(attendee)@example.org")::citext)
                """)
            try await fixture.store.pool.execute(
                """
                UPDATE submission SET attendee_id = \(attendee)
                WHERE form_id = \(meeting.form.id) AND id = \(receipt.id)
                """)
        default: break
        }
    }

    /// Returns the table as `TableWriter` writes it from cells, and checks each encoded line against it.
    private static func tableAfterCheckingLines(
        _ scope: ExportScope, _ table: SubmissionsTable, _ options: ExportOptions, _ store: Store, _ seed: UInt64
    ) async throws -> [UInt8] {
        var writer = TableWriter(columns: table.columns, options: options)
        var bytes: [UInt8] = []
        writer.writeHeader(into: &bytes)
        for meeting in try await store.exports.meetings(in: scope, after: nil, limit: 10) {
            let form = try await store.exports.form(meeting.form.id)
            var encoder = SubmissionEncoder(table, of: form, at: meeting, in: writer.syntax)
            try await store.exports.records(of: meeting.form.id, includesPeople: table.hasPeople) { _, records in
                try records.forEach { record in
                    var (line, cells): ([UInt8], [UInt8]) = ([], [])
                    line += writer.syntax.start
                    let isEncoded = try encoder.append(record, in: writer.syntax, to: &line)
                    line += writer.syntax.end
                    #expect(isEncoded == !record.hasHiddenTexts, "seed \(seed)")
                    let row = try SubmissionRow(record.decoded(in: form), in: form, at: meeting)
                    writer.writeRow(table.row(row), into: &cells)
                    #expect(!isEncoded || line == cells, "seed \(seed): \(String(decoding: line, as: UTF8.self))")
                    bytes += cells
                }
            }
        }
        return bytes
    }

    @Test(arguments: 0..<4) func encodedLinesEqualLinesOfCells(_ turn: Int) async throws {
        let seed = SeededNumbers.freshSeed()
        try await TestStore.run { fixture in
            var random = SeededNumbers(seed: seed)
            let meetings = try await Self.rounds(fixture, &random)
            let store = fixture.store
            for options in Self.options {
                for extent in [ExportScope.Extent.meeting(meetings[0].id), .series(meetings[0].seriesID)] {
                    let scope = ExportScope(extent)
                    var includesRounds = false
                    if case .series = extent { includesRounds = true }
                    let questions = try await store.exports.questions(in: scope).questions
                    for includesPeople in [true, false] {
                        let table = SubmissionsTable(
                            questions: questions, includesRounds: includesRounds, includesPeople: includesPeople,
                            writesLabels: options.writesTitles)
                        let expected = try await Self.tableAfterCheckingLines(scope, table, options, store, seed)
                        // The forms have no personal links, so the export has no names.
                        if includesPeople { continue }
                        let export = try await Export.prepare(
                            .submissions, of: scope, includesAttendees: true, options: options, from: store)
                        var bytes: [UInt8] = []
                        let totals = try await export.write { bytes += $0 }
                        #expect(bytes == expected, "seed \(seed)")
                        #expect(totals.bytes == expected.count)
                    }
                }
            }
        }
    }

    /// Compares the encoded workbook of a table with the workbook from cells. Returns the number of records, and of
    /// those that were not encoded.
    private static func compareWorkbooks(
        _ scope: ExportScope, _ table: SubmissionsTable, titles: Bool = false, _ store: Store,
        _ comment: Testing.Comment? = nil
    ) async throws -> (records: Int, asCells: Int) {
        var encoded = TableWorkbook(.submissions, of: scope, columns: table.columns, titles: titles)
        var plain = TableWorkbook(.submissions, of: scope, columns: table.columns, titles: titles)
        var asCells = 0
        for meeting in try await store.exports.meetings(in: scope, after: nil, limit: 10) {
            let form = try await store.exports.form(meeting.form.id)
            let syntax = RowXML(columns: table.columns.count)
            var encoder = SubmissionEncoder(table, of: form, at: meeting, in: syntax)
            func cells(_ record: SubmissionRecord) throws -> [Exports.Cell] {
                table.row(try SubmissionRow(record.decoded(in: form), in: form, at: meeting))
            }
            try await store.exports.records(of: meeting.form.id, includesPeople: table.hasPeople) { _, records in
                try encoded.add(records, as: &encoder) { record in
                    asCells += 1
                    return try cells(record)
                }
                try records.forEach { plain.add([try cells($0)]) }
            }
        }
        #expect(await encoded.finish() == plain.finish(), comment)
        #expect(encoded.rows == plain.rows)
        return (plain.rows, asCells)
    }

    @Test(arguments: 0..<4) func encodedSheetsEqualSheetsOfCells(_ turn: Int) async throws {
        let seed = SeededNumbers.freshSeed()
        try await TestStore.run { fixture in
            var random = SeededNumbers(seed: seed)
            let meetings = try await Self.rounds(fixture, &random)
            let hidden = try await fixture.store.pool.query(
                "SELECT count(*)::int FROM submission WHERE hidden IS NOT NULL AND NOT withdrawn"
            ).map { try $0.decode(Int.self) }
            let scope = ExportScope(.series(meetings[0].seriesID))
            let questions = try await fixture.store.exports.questions(in: scope).questions
            for (isFull, titles) in [(true, true), (true, false), (false, false)] {
                let table = SubmissionsTable(
                    questions: questions, includesRounds: isFull, includesPeople: isFull, writesLabels: titles)
                let count = try await Self.compareWorkbooks(
                    scope, table, titles: titles, fixture.store, "seed \(seed)")
                #expect(count.records > 10)
                #expect(count.asCells == hidden.first, "seed \(seed)")
            }
        }
    }

    /// Some answers have notations that the service no longer stores. Another form of the table has a question with the
    /// same key and another kind.
    @Test func unusualNotationsAreWrittenFromCells() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            let stored = [
                #"{"pace": 4.0}"#, #"{"pace": 1e3}"#, #"{"pace": -3, "topics": [], "better": ""}"#,
                #"{"pace": null, "better": true}"#, #"{"pace": 1234567890123456789012}"#, #"{"topics": "talk"}"#,
                #"{"topics": {"other": "=x"}}"#, #"{"topics": ["demo", {"other": "a"}, {"other": "b"}]}"#,
                #"{"pace": 1234567890123456}"#, #"{"pace": -123456789012345}"#, #"{"pace": -1234567890123456}"#,
                #"{"better": "\#(String(repeating: "한", count: 20_000))"}"#,
                #"{"better": "\#(String(repeating: "x", count: 40_000))"}"#, #"{"topics": [["demo"], {"more": 1}]}"#,
                #"{"unknown": {"a": [1, {"b": "\""}]}, "pace": 2}"#,
                #"{"better": ["x"], "pace": "text"}"#, "{}", #"[]"#, #"{"topics": ["=o", "d\"q"]}"#,
            ]
            for answers in stored {
                let receipt = try await fixture.submit("{}", to: meeting)
                try await fixture.store.pool.execute(
                    "UPDATE submission SET answers = \(answers)::jsonb WHERE id = \(receipt.id)")
            }
            let scope = ExportScope(.meeting(meeting.id))
            let other = Question(
                key: "better", title: "Better",
                kind: .choice(.init(options: [.init(id: "x", label: "X")], multiple: true, other: true)))
            for options in Self.options {
                for questions in [[], [other]] {
                    let table = SubmissionsTable(
                        questions: try await fixture.store.exports.questions(in: scope).questions + questions,
                        includesRounds: false, includesPeople: false, writesLabels: options.writesTitles)
                    var writer = TableWriter(columns: table.columns, options: options)
                    let form = try await fixture.store.exports.form(meeting.form.id)
                    var encoder = SubmissionEncoder(table, of: form, at: meeting, in: writer.syntax)
                    var written = 0
                    try await fixture.store.exports.records(of: meeting.form.id, includesPeople: false) { _, records in
                        try records.forEach { record in
                            var (line, cells): ([UInt8], [UInt8]) = (writer.syntax.start, [])
                            let row = try SubmissionRow(record.decoded(in: form), in: form, at: meeting)
                            writer.writeRow(table.row(row), into: &cells)
                            guard try encoder.append(record, in: writer.syntax, to: &line) else { return }
                            #expect(line + writer.syntax.end == cells)
                            written += 1
                        }
                    }
                    #expect(writer.rows == stored.count && (4..<stored.count).contains(written))
                    guard options.format == .ndjson else { continue }
                    let count = try await Self.compareWorkbooks(scope, table, fixture.store)
                    #expect(count.records == stored.count && (1..<stored.count - 3).contains(count.asCells))
                }
            }
            try await fixture.store.pool.execute("UPDATE submission SET answers = '{}'")
        }
    }
}
