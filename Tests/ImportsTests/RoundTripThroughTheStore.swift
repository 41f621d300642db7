import CSV
import Domain
import Exports
import Foundation
import Imports
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

/// Exported data is the same after it is imported again.
@Suite struct RoundTripThroughTheStore {
    private static func export(
        _ kind: ExportKind, of extent: ExportScope.Extent, from store: Store, raw: Bool
    ) async throws -> [UInt8] {
        let export = try await Export.prepare(
            kind, of: ExportScope(extent), includesAttendees: true, options: ExportOptions(raw: raw), from: store)
        var bytes: [UInt8] = []
        _ = try await export.write { bytes += $0 }
        return bytes
    }

    /// The answers of all submissions as sorted canonical texts.
    private static func answers(of meeting: Meeting, in store: Store) async throws -> [String] {
        let form = try await store.exports.form(meeting.form.id)
        var texts: [String] = []
        try await store.exports.submissions(of: meeting.form.id) { chunk in
            for submission in chunk {
                let entries = Answers.read(stored: submission.answers, in: form).entries.map { entry in
                    guard case .choice(let ids, let other) = entry.answer else { return entry }
                    return Answers.Entry(entry.key, .choice(ids.sorted(), other: other), multiple: true)
                }
                texts.append(Answers(entries).json.text)
            }
        }
        return texts.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
    }

    /// A map for the `submissions` table of these questions, derived from their JSON.
    private static func map(
        _ questions: [Question], isGuarded: Bool, series: String, hasRounds: Bool = false
    ) throws -> ImportMap {
        let parts = questions.map { question in
            var members = question.json.members ?? []
            members.append(.init("guarded", .bool(isGuarded)))
            guard case .choice(let choice) = question.kind else {
                return JSONValue.object(members + [.init("column", .string(question.key))])
            }
            if choice.multiple {
                let ids = choice.options.map(\.id) + (choice.other ? ["other"] : [])
                let columns = ids.map { JSONValue.Member($0, .string("\(question.key).\($0)")) }
                members.append(.init("columns", .object(columns)))
            } else {
                members.append(.init("column", .string(question.key)))
            }
            if choice.other { members.append(.init("otherColumn", .string("\(question.key).other_text"))) }
            return .object(members)
        }
        let byRound: [JSONValue.Member] = [
            .init("by", .string("round")), .init("order", .string("ascending")), .init("title", .string("M {round}")),
        ]
        let map = JSONValue.object([
            .init("series", .object([.init("title", .string(series))])),
            .init("meeting", .object(hasRounds ? byRound : [.init("title", .string("M"))])),
            .init("submittedAt", .string("submitted_at")),
            .init("questions", .array(parts)),
        ])
        return try ImportMap.read(Array(map.text.utf8))
    }

    /// An imported export of a form has the same answers, tallies and statistics.
    @Test(arguments: 0..<6) func importOfAnExportRestoresTheAnswers(_ repetition: Int) async throws {
        try await TestStore.run { fixture in
            let (questions, submissions) = RandomAnswers.make()
            let meeting = try await fixture.openMeeting(JSONValue.array(Question.documents(questions)).text)
            for answers in submissions { _ = try await fixture.submit(answers.text, to: meeting) }
            for raw in [true, false] {
                let csv = try await Self.export(.submissions, of: .meeting(meeting.id), from: fixture.store, raw: raw)
                let series = "Copy \(raw)"
                let report = try await fixture.importCSV(
                    csv, by: try Self.map(questions, isGuarded: !raw, series: series))
                #expect(report.refused == [])
                #expect(report.created == submissions.count)
                let copy = try #require(try await fixture.meetings().first { $0.series == series })
                let original = try await Self.answers(of: meeting, in: fixture.store)
                #expect(
                    try await Self.answers(of: copy, in: fixture.store).elementsEqual(original) {
                        $0.utf8.elementsEqual($1.utf8)
                    })
                let before = try await fixture.store.results.read(meeting.form.id)
                let after = try await fixture.store.results.read(copy.form.id)
                #expect(after.questions == before.questions)
                #expect(after.submissions == before.submissions)
            }
        }
    }

    /// The table of a series has the round of each row and the columns of all rounds.
    @Test(arguments: 0..<3) func importOfASeriesExportRestoresTheAnswers(_ repetition: Int) async throws {
        try await TestStore.run { fixture in
            let questions = RandomAnswers.make().questions
            let form = JSONValue.array(Question.documents(questions)).text
            var rounds: [Meeting] = []
            for number in 1...3 {
                let meeting = try await fixture.openMeeting(form)
                for answers in RandomAnswers.submissions(to: questions) {
                    _ = try await fixture.submit(answers.text, to: meeting)
                }
                let series = rounds.first?.seriesID ?? meeting.seriesID
                try await fixture.store.pool.execute(
                    "UPDATE meeting SET series_id = \(series), round = \(number)::int WHERE id = \(meeting.id)")
                rounds.append(meeting)
            }
            let series = rounds[0].seriesID
            try await fixture.store.pool.execute("UPDATE series SET rounds = 3 WHERE id = \(series)")
            for raw in [true, false] {
                let csv = try await Self.export(.submissions, of: .series(series), from: fixture.store, raw: raw)
                let title = "Copy \(raw)"
                let report = try await fixture.importCSV(
                    csv, by: try Self.map(questions, isGuarded: !raw, series: title, hasRounds: true))
                #expect(report.refused == [])
                let copies = try await fixture.meetings().filter { $0.series == title }.sorted { $0.round < $1.round }
                #expect(copies.count == 3)
                for (meeting, copy) in zip(rounds, copies) {
                    let (before, after) = (
                        try await Self.answers(of: meeting, in: fixture.store),
                        try await Self.answers(of: copy, in: fixture.store)
                    )
                    #expect(after.elementsEqual(before) { $0.utf8.elementsEqual($1.utf8) })
                    let tallies = try await fixture.store.results.read(meeting.form.id).questions.map(\.points)
                    #expect(try await fixture.store.results.read(copy.form.id).questions.map(\.points) == tallies)
                }
            }
        }
    }

    @Test func realTextsRoundTripByteForByteAndTheGuardIsRemoved() async throws {
        let map = try ImportMap.read(try Sample.fixture("short_answers.map.json"))
        let source = try Sample.fixture("short_answers.csv")
        try await TestStore.run { fixture in
            _ = try await fixture.importCSV(source, by: map)
            let meeting = try #require(try await fixture.meetings().first)
            let raw = try await Self.export(.submissions, of: .meeting(meeting.id), from: fixture.store, raw: true)
            let texts = try Self.column("text", of: source)
            #expect(try Self.column("text", of: raw) == texts)
            let guarded = try await Self.export(.submissions, of: .meeting(meeting.id), from: fixture.store, raw: false)
            #expect(try Self.column("text", of: guarded) != texts)

            let questions = try await fixture.store.exports.questions(in: ExportScope(.meeting(meeting.id))).questions
            let report = try await fixture.importCSV(
                guarded, by: try Self.map(questions, isGuarded: true, series: "Undone"))
            #expect(report.created == 121)
            let copy = try #require(try await fixture.meetings().first { $0.series == "Undone" })
            let reexported = try await Self.export(.submissions, of: .meeting(copy.id), from: fixture.store, raw: true)
            #expect(try Self.column("text", of: reexported) == texts)
        }
    }

    /// The bytes of a column's fields, sorted, because an import does not preserve the order of rows.
    private static func column(_ name: String, of csv: [UInt8]) throws -> [[UInt8]] {
        var reader = CSVReader()
        var index = 0
        var fields: [[UInt8]] = []
        let handle = { (event: CSVReader.Event) in
            switch event {
            case .header(let names): index = names.firstIndex(of: name) ?? 0
            case .row(let row): fields.append(Array(row[index].utf8))
            case .fault(let fault): Issue.record("\(fault)")
            }
        }
        try reader.read(csv, handle)
        try reader.finish(handle)
        return fields.sorted { $0.lexicographicallyPrecedes($1) }
    }
}
