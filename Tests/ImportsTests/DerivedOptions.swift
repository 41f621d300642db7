import Domain
import Foundation
import Imports
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

/// Options that are derived from the values of a file: results must equal the counts by value, in each round and
/// pooled.
@Suite struct DerivedOptions {
    /// Counts by value. Values are escaped to ASCII, so that they are compared by code point.
    private typealias Counts = [String: Int]

    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { $0.escaped(asASCII: true) }.joined()
    }

    private static func counts(_ values: [String]) -> Counts {
        Dictionary(values.map { (escaped($0), 1) }, uniquingKeysWith: +)
    }

    private static func counts(_ result: QuestionResult?) -> Counts {
        Dictionary((result?.points ?? []).map { (escaped($0.label), $0.count) }, uniquingKeysWith: +).filter { $1 > 0 }
    }

    /// A map of one series with a meeting for each value of a column.
    private static func map() throws -> ImportMap {
        try ImportMap.read(
            Array(
                """
                {"series": {"title": "S"}, "meeting": {"by": "m", "title": "M{m}"},
                 "questions": [{"column": "c", "key": "pick", "kind": "choice", "title": "T"}]}
                """.utf8))
    }

    private static func csv(_ rows: [(meeting: Int, value: String)]) -> String {
        let cells = rows.map { "\($0.meeting),\"\($0.value.replacing("\"", with: "\"\""))\"\n" }
        return "m,c\n" + cells.joined()
    }

    private static func csv(_ meeting: Int, _ values: [String]) -> String {
        csv(values.map { (meeting, $0) })
    }

    private func results(_ fixture: TestStore) async throws -> [String: Counts] {
        var counts: [String: Counts] = [:]
        for meeting in try await fixture.meetings() {
            counts[meeting.title] = Self.counts(try await fixture.store.results.read(meeting.form.id).questions.first)
        }
        return counts
    }

    private func pooled(_ fixture: TestStore) async throws -> Counts {
        let seriesID = try #require(try await fixture.meetings().first).seriesID
        let questions = try await fixture.store.seriesRounds.pooled(of: seriesID) { $0.questions }
        return Self.counts(questions.first?.result)
    }

    private func optionIDs(_ fixture: TestStore) async throws -> [String] {
        let rows = try await fixture.store.pool.query(
            """
            SELECT DISTINCT o->>'id' FROM form_version v, jsonb_array_elements(v.definition->'questions') q,
                jsonb_array_elements(q->'options') o ORDER BY 1
            """)
        return try rows.map { row throws -> String in try row.decode(String.self) }
    }

    @Test(arguments: [
        ["AA", "Aa", "Aa", "aa", "aa", "aa", "aa"], ["Yes", "Yes", "Yes", "yes", "No", "No", "no"],
        ["1", "1", "1", "v1", "v1"], ["caf\u{E9}", "cafe\u{301}", "cafe\u{301}"], ["a b", "a-b", "a_b", "a b"],
        ["o1", "한", "o1", "o2", "글"],
    ])
    func similarValuesAreCountedSeparately(_ values: [String]) async throws {
        try await TestStore.run { fixture in
            let report = try await fixture.importCSV(Self.csv(1, values), by: Self.map())
            #expect(report.created == values.count)
            #expect(try await results(fixture) == ["M1": Self.counts(values)])
        }
    }

    @Test(arguments: [
        (["만족", "만족", "보통"], ["보통", "불만"]), (["中国", "日本"], ["上海", "日本", "日本"]),
        (["a b"], ["a-b", "a b"]), ([String(repeating: "x", count: 41)], [String(repeating: "x", count: 42)]),
    ])
    func roundsImportedFileByFileArePooledByValue(_ first: [String], _ second: [String]) async throws {
        try await TestStore.run { fixture in
            _ = try await fixture.importCSV(Self.csv(1, first), by: Self.map())
            _ = try await fixture.importCSV(Self.csv(2, second), by: Self.map())
            #expect(try await results(fixture) == ["M1": Self.counts(first), "M2": Self.counts(second)])
            #expect(try await pooled(fixture) == Self.counts(first + second))
        }
    }

    /// Both imports add an option with the same slug: first to meetings that they create, then to existing ones.
    @Test func concurrentImportsAssignEachIdToOneValue() async throws {
        try await TestStore.run { fixture in
            for (first, second) in [(["A b"], ["a-b"]), (["A b", "C d"], ["a-b", "c-d"])] {
                async let one = fixture.importCSV(Self.csv(1, first), by: Self.map())
                async let other = fixture.importCSV(Self.csv(2, second), by: Self.map())
                _ = try await (one, other)
                #expect(try await results(fixture) == ["M1": Self.counts(first), "M2": Self.counts(second)])
                #expect(try await pooled(fixture) == Self.counts(first + second))
            }
        }
    }

    @Test func existingOptionsAreMatchedByTheirLabels() async throws {
        try await TestStore.run { fixture in
            let named = try ImportMap.read(
                Array(
                    """
                    {"series": {"title": "S"}, "meeting": {"by": "m", "title": "M{m}"},
                     "questions": [{"column": "c", "key": "pick", "kind": "choice", "title": "T",
                        "options": [{"id": "o1", "label": "만족"}, {"id": "o2", "label": "보통"}]}]}
                    """.utf8))
            let first = ["만족", "보통", "보통"]
            _ = try await fixture.importCSV(Self.csv(1, first), by: named)
            let second = ["보통", "불만", "o1"]
            _ = try await fixture.importCSV(Self.csv(2, second), by: Self.map())
            #expect(try await pooled(fixture) == Self.counts(first + second))
            let again = try await fixture.importCSV(Self.csv(1, first), by: Self.map())
            #expect(again.alreadyThere == 3 && again.created == 0)
            let ids = try await optionIDs(fixture)
            #expect(ids.count == 4 && ids.contains("o1") && ids.contains("o2"), "\(ids)")
        }
    }

    @Test func rewordedLabelKeepsItsOption() async throws {
        try await TestStore.run { fixture in
            _ = try await fixture.importCSV(Self.csv(1, ["demo", "talk"]), by: Self.map())
            let meeting = try #require(try await fixture.meetings().first)
            _ = try await fixture.edit(
                meeting, settings: "",
                questions: """
                    [{"key": "pick", "kind": "choice", "title": "T",
                      "options": [{"id": "demo", "label": "The demo"}, {"id": "talk", "label": "talk"}]}]
                    """)
            let report = try await fixture.importCSV(Self.csv(1, ["demo", "talk", "demo"]), by: Self.map())
            #expect(report.created == 1 && report.alreadyThere == 2)
            #expect(try await results(fixture) == ["M1": Self.counts(["The demo", "talk", "The demo"])])
        }
    }

    /// Random labels, in one file and in three files of one series, with additional values in the second.
    @Test(arguments: [UInt64(7), 20_261_124, SeededNumbers.freshSeed()])
    func resultsEqualACountByValue(seed: UInt64) async throws {
        var random = SeededNumbers(seed: seed)
        let labels = Self.labels(&random)
        let files = (1...3).map { meeting in
            let chosen = (0..<12).map { _ in random.one(of: labels) }
            return (meeting, (0..<40).map { _ in random.one(of: chosen) })
        }
        let extended = files[1].1 + (0..<20).map { _ in random.one(of: labels) }
        let comment = Comment("seed \(seed)")

        try await TestStore.run { fixture in
            let rows = files.flatMap { file in file.1.map { (file.0, $0) } }
            _ = try await fixture.importCSV(Self.csv(rows), by: Self.map())
            #expect(try await pooled(fixture) == Self.counts(rows.map(\.1)), comment)
        }
        try await TestStore.run { fixture in
            for (meeting, values) in files {
                let report = try await fixture.importCSV(Self.csv(meeting, values), by: Self.map())
                #expect(report.created == values.count, comment)
            }
            let wider = try await fixture.importCSV(Self.csv(2, extended), by: Self.map())
            #expect(wider.created == 20 && wider.alreadyThere == 40, comment)
            for (meeting, values) in [files[0], (2, extended), files[2]] {
                let again = try await fixture.importCSV(Self.csv(meeting, values), by: Self.map())
                #expect(again.created == 0 && again.alreadyThere == values.count, comment)
                #expect(try await results(fixture)["M\(meeting)"] == Self.counts(values), comment)
            }
            #expect(try await pooled(fixture) == Self.counts(files[0].1 + extended + files[2].1), comment)
            let ids = try await optionIDs(fixture)
            #expect(
                ids.allSatisfy {
                    $0.wholeMatch(of: /[a-z][a-z0-9_]{0,39}/) != nil && $0 != "other" && $0 != "other_text"
                }, comment)
        }
    }

    /// At most 50 labels: variants of case and normal form, other scripts, long ones, and some that look like ids.
    private static func labels(_ random: inout SeededNumbers) -> [String] {
        let words = [
            "Yes", "yes", "YES", "caf\u{E9}", "cafe\u{301}", "v1", "1", "o1", "o2", "other", "Other", "OTHER!",
        ]
        let scripts: [ClosedRange<UInt32>] = [0xAC00...0xD7A3, 0x4E00...0x9FFF, 0x430...0x44F, 0x1F600...0x1F64F]
        var labels = words
        for _ in 0..<12 {
            let script = random.one(of: scripts)
            let scalars = (0..<random.int(1...3)).compactMap { _ in
                Unicode.Scalar(script.lowerBound + UInt32(random.int(0...script.count - 1)))
            }
            labels.append(String(String.UnicodeScalarView(scalars)))
        }
        for _ in 0..<12 {
            let parts = (0..<2).map { _ in random.one(of: ["a", "B", "7", "x"]) }
            labels.append(parts.joined(separator: random.one(of: [" ", "-", "_", ".", "/"])))
        }
        for length in [40, 41, 42, 120] {
            labels.append(String(repeating: "x", count: length - 1) + random.one(of: ["x", "X", "y"]))
        }
        var known: Set<String> = []
        return labels.filter { known.insert(escaped($0)).inserted }
    }
}
