import Domain
import Foundation
import StrictJSON
import Testing

@testable import Imports

@Suite struct ImportMapReading {
    /// A file of 8 MB would otherwise make a title of gigabytes.
    @Test func titleThatRepeatsALongCellIsCut() throws {
        let template = try #require(TitleTemplate(String(repeating: "{a}, ", count: 200)))
        #expect(template.text { _ in "x" } == String(repeating: "x, ", count: 200))
        let cell = String(repeating: "é", count: 100_000)
        #expect(template.text { _ in cell }.unicodeScalars.count == 10_000)
    }

    private func faults(_ json: String) -> [String] {
        do {
            _ = try ImportMap.read(Array(json.utf8))
            return []
        } catch {
            return error.faults.map { "\($0.pointer) \($0.code)" }
        }
    }

    private func faults(question: String) -> [String] {
        faults(#"{"series":{"title":"S"},"meeting":{"title":"M"},"questions":[{\#(question)}]}"#)
    }

    @Test func gridHasAColumnForEachStatement() throws {
        let grid = #""key": "g", "kind": "grid", "title": "G", "max": 2, "labels": ["no", "yes"], "statements": "#
        let columns = #"[{"key": "a", "title": "A", "column": "1"}, {"key": "b", "title": "B", "column": "2"}]"#
        let map = try ImportMap.read(Array(#"{"questions": [{\#(grid)\#(columns)}]}"#.utf8))
        #expect(map.questions.map(\.key) == ["a", "b"] && map.questions.allSatisfy { $0.kind == "rating" })
        let definitions = JSONValue.array(map.questions.map(\.definition))
        let read = try FormDefinition.readQuestions(definitions, isExpanded: true)
        #expect(read.map(\.grid?.key) == ["g", "g"])
        #expect(map.questions[0].pointLabels == ["no": 1, "yes": 2])
        let unmapped = #"[{"key": "a", "title": "A"}]"#
        #expect(faults(question: grid + unmapped) == ["/questions/0/statements/0/column required"])
        #expect(faults(question: grid + "[]") == ["/questions/0/statements required"])
        let equal = #"[{"key": "g", "title": "A", "column": "1"}]"#
        #expect(faults(question: grid + equal) == ["/questions/0/statements/0/key duplicate-key"])
    }

    /// A rating of a map may name its grid, as in a stored form. The statements then follow each other.
    @Test func ratingsThatNameAGridFollowEachOther() throws {
        func rating(_ key: String, _ more: String = "") -> String {
            #"{"key": "\#(key)", "kind": "rating", "title": "T", "column": "\#(key)", "minLabel": "a", "maxLabel": "b", "grid": {"key": "g", "title": "G"}\#(more)}"#
        }
        let text = #"{"key": "t", "kind": "text", "title": "T", "column": "t"}"#
        func found(_ questions: String...) -> [String] {
            faults(#"{"questions": [\#(questions.joined(separator: ","))]}"#)
        }
        #expect(found(rating("a"), rating("b"), text) == [])
        #expect(found(rating("a"), text, rating("b")) == ["/questions/2/grid grid-differs"])
        #expect(found(rating("a"), rating("b", #", "max": 3"#)) == ["/questions/1/grid grid-differs"])
        #expect(found(rating("g")) == ["/questions/0/grid/key duplicate-key"])
    }

    @Test func titleNamesAtMostTwoHundredColumns() throws {
        for (count, isAccepted) in [(200, true), (201, false), (60_000, false)] {
            let title = (0..<count).map { "{c\($0)}" }.joined()
            let text = #"{"series": {"title": "\#(title)"}, "questions": []}"#
            do throws(Problem) {
                let map = try ImportMap.read(Array(text.utf8))
                #expect(isAccepted && map.series.title.columns.count == count)
            } catch {
                #expect(!isAccepted && error.faults.map(\.code) == ["too-many-columns"])
            }
        }
    }

    @Test func seriesIsNamedByItsIDInsteadOfAColumnAndATitle() throws {
        let id = "01900000-0000-7000-8000-00000000000A"
        let map = try ImportMap.read(Array(#"{"series": {"id": "\#(id)"}, "questions": []}"#.utf8))
        #expect(map.series.id?.uuidString == id && map.series.by == nil)
        for (series, expected) in [
            (#"{"id": "\#(id)", "title": "S"}"#, ["/series/title existing-series"]),
            (
                #"{"id": "\#(id)", "by": "s", "title": "S"}"#,
                ["/series/by existing-series", "/series/title existing-series"]
            ),
            (#"{"id": "retro"}"#, ["/series/id invalid-id"]), (#"{"id": 5}"#, ["/series/id wrong-type"]),
            (#"{"id": "\#(id)", "round": 1}"#, ["/series/round unknown-field"]),
        ] {
            #expect(faults(#"{"series": \#(series), "questions": []}"#) == expected, "\(series)")
        }
    }

    @Test(arguments: ["lecture_ratings", "short_answers"]) func examplesAreValid(_ name: String) throws {
        let map = try ImportMap.read(try Sample.fixture("\(name).map.json"))
        #expect(map.questions.count >= 2)
    }

    @Test func omittedMembersHaveTheirDefaults() throws {
        let map = try Sample.map(#""column":"c","key":"k","kind":"text","title":"T""#)
        #expect(map.missing == [""])
        #expect(map.meeting.order == .ascending)
        #expect(map.meeting.timeZone == "UTC")
        #expect(map.series.by == nil && map.submittedAt == nil && !map.guarded && !map.questions[0].guarded)
    }

    @Test(arguments: [
        ("/data/retro {w}.2026.csv", "retro {w}.2026"), ("-", "Imported"), (" .csv", "Imported"),
        (".hidden", ".hidden"),
        ("\(String(repeating: "e\u{301}", count: 200)).csv", String(repeating: "e\u{301}", count: 150)),
    ])
    func titleDefaultsToTheFileName(_ file: String, _ title: String) throws {
        let questions = #""questions":[{"column":"t","key":"t","kind":"text","title":"T"}]"#
        let map = try ImportMap.read(Array("{\(questions)}".utf8), file: file)
        var planner = ImportPlanner(map: map, hostID: Sample.host)
        try planner.read(Array("t\na\nb\n".utf8)[...])
        let plan = try planner.finish()
        #expect(plan.series.map(\.title) == [title])
        #expect(plan.series[0].meetings.map(\.title) == [title])
        #expect(plan.rowCount == 2 && plan.series[0].meetings[0].startsAt == nil)
        let named = try ImportMap.read(Array(#"{"series":{"title":"S"},\#(questions)}"#.utf8), file: file)
        #expect(named.series.title == TitleTemplate("S") && named.meeting.title == map.meeting.title)
        #expect(
            faults(#"{"series":{},"meeting":{"by":"b"},\#(questions)}"#).count == 2, "incomplete members are refused")
    }

    @Test func guardAppliesToAllOrIndividualColumns() throws {
        let map = try Sample.map(
            #""column":"a","key":"a","kind":"text","title":"T""#,
            #""column":"b","key":"b","kind":"text","title":"T","guarded":false"#, more: #""guarded":true,"#)
        #expect(map.questions.map(\.guarded) == [true, false])
    }

    @Test func allFaultsAreReportedTogether() {
        let found = faults(
            """
            {"serie": 1, "series": {"by": 5, "title": "a {b"}, "meeting": {"order": "up", "startsAt": "s", "zone": 1},
             "missing": ["", 3], "guarded": "yes",
             "questions": [{"key": "id", "kind": "rating", "title": "", "min": 9, "colum": "x"}, 7,
              {"column": "t", "key": "t", "kind": "text", "title": "T", "min": 1}]}
            """)
        let expected = [
            "/serie unknown-field", "/series/by wrong-type", "/series/title broken-template", "/meeting/title required",
            "/meeting/order unknown-value", "/meeting/endsAt required", "/meeting/zone unknown-field",
            "/missing/1 wrong-type", "/guarded wrong-type", "/questions/0/column required",
            "/questions/0/colum unknown-field", "/questions/0/key reserved-key", "/questions/1 wrong-type",
            "/questions/2/min unknown-field",
        ]
        for fault in expected { #expect(found.contains(fault), "\(fault)") }
        #expect(Set(found).count == found.count)
    }

    @Test(arguments: ["", "{", "[]", "{} x", "\u{FEFF}{}", #"{"series":{},"series":{}}"#])
    func malformedMapsAreRefused(_ json: String) {
        #expect(!faults(json).isEmpty)
    }

    @Test(arguments: [
        (
            #""column":"c","columns":{"a":"b"},"key":"k","kind":"choice","title":"T""#,
            "/questions/0/columns two-sources"
        ),
        (#""columns":{"a":1},"key":"k","kind":"choice","title":"T""#, "/questions/0/columns wrong-type"),
        (#""columns":{"a":"b"},"key":"k","kind":"text","title":"T""#, "/questions/0/columns not-a-choice"),
        (
            #""column":"c","otherColumn":"d","key":"k","kind":"rating","title":"T""#,
            "/questions/0/otherColumn not-a-choice"
        ),
        (#""column":"c","multiple":true,"key":"k","kind":"choice","title":"T""#, "/questions/0/column multiple-choice"),
        (
            #""columns":{"a":"b"},"multiple":false,"key":"k","kind":"choice","title":"T""#,
            "/questions/0/columns single-choice"
        ),
        (
            #""columns":{"z":"b"},"options":[{"id":"a","label":"A"}],"key":"k","kind":"choice","title":"T""#,
            "/questions/0/columns unknown-option"
        ),
        (
            #""column":"c","otherColumn":"d","other":false,"key":"k","kind":"choice","title":"T""#,
            "/questions/0/otherColumn no-other"
        ),
        (#""column":"c","key":"K!","kind":"text","title":"T""#, "/questions/0/key invalid-key"),
    ])
    func columnsOfAnswersAreValidated(_ question: String, _ fault: String) {
        let found = faults(question: question)
        #expect(found.contains(fault), "\(found)")
    }
}
