import Domain
import Exports
import Foundation
import Store
import StrictJSON
import TestSupport
import Testing

/// Reads a form's answers with common readers: Python's csv and json, and pandas.
@Suite struct IndependentReaders {
    private static let texts = [
        "plain", "two\nlines", "two\r\nlines", "lone\rreturn", "a \"quoted\" word", "\"", ",", ";", "-5", "'-5", "''-5",
        "=1+1", "'=1+1", "+5", "@x", "\tx", "\rx", "'", "NA", "null", "0123", "1e5", "😀👩‍👩‍👧", "עברית \u{202E}abc",
        "العرض (12)",
        "e\u{301}", "\u{FEFF}mark", " spaced ", "한국어", "演示",
    ]

    /// A choice of fifty options and `other`, a single choice with `other`, a rating and a text. Three of the questions
    /// have the same title.
    private static var questions: [Question] {
        let fifty = (1...50).map { Question.Option(id: "o\($0)", label: "=\($0) עברית 🎉") }
        return [
            Question(key: "many", title: "Same", kind: .choice(.init(options: fifty, multiple: true, other: true))),
            Question(
                key: "one", title: "Same", kind: .choice(.init(options: [.init(id: "a", label: "-5")], other: true))),
            Question(key: "score", title: "-5", kind: .rating(.init(min: 0, max: 10, metric: .nps))),
            Question(key: "why", title: "Same", kind: .text(maxLength: 1000)),
        ]
    }

    private static func table(
        _ meeting: Meeting, _ options: ExportOptions, from store: Store
    ) async throws -> JSONValue {
        let export = try await Export.prepare(
            .submissions, of: ExportScope(.meeting(meeting.id)), includesAttendees: true, options: options, from: store)
        var bytes: [UInt8] = []
        _ = try await export.write { bytes += $0 }
        return .string(String(decoding: bytes, as: UTF8.self))
    }

    @Test func answersAreExportedUnchanged() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(JSONValue.array(Self.questions.map(\.json)).text)
            var rows: [JSONValue] = []
            for (index, text) in Self.texts.enumerated() {
                let other = JSONValue.object([.init("other", .string(text))])
                let option = "o\(index % 50 + 1)"
                let answers = JSONValue.object([
                    .init("many", .array([.string(option), other])), .init("one", other),
                    .init("score", JSONValue(index % 11)), .init("why", .string(text)),
                ])
                _ = try await fixture.submit(answers.text, to: meeting)
                let flags = (1...50).map { JSONValue.string($0 == index % 50 + 1 ? "1" : "0") }
                rows.append(
                    .array(
                        flags + [.string("1"), .string(text), .string("other"), .string(text)]
                            + [.string(String(index % 11)), .string(text)]))
            }
            _ = try await fixture.submit("{}", to: meeting)
            rows.append(.array(Array(repeating: .string(""), count: 56)))
            let columns =
                (1...50).map { "many.o\($0)" } + [
                    "many.other", "many.other_text", "one", "one.other_text", "score", "why",
                ]
            let expected = JSONValue.object([
                .init("columns", .array(columns.map { .string($0) })), .init("rows", .array(rows)),
                .init("count", JSONValue(columns.count + 3)),
                .init("raw", try await Self.table(meeting, ExportOptions(raw: true), from: fixture.store)),
                .init("guarded", try await Self.table(meeting, ExportOptions(), from: fixture.store)),
                .init("titled", try await Self.table(meeting, ExportOptions(titles: true), from: fixture.store)),
                .init("lines", try await Self.table(meeting, ExportOptions(format: .ndjson), from: fixture.store)),
            ])
            try await IndependentCheck.run("scripts/python/check_tables.py", input: expected.text)
        }
    }
}
