import Domain
import Foundation
import StrictJSON
import TestSupport
import Testing

@testable import Imports
@testable import Store

/// The columns of a file continue the questions of a series that have their titles.
@Suite struct ContinuedQuestions {
    private static let seriesID = UUID()

    private static func known(_ questions: String) throws -> KnownQuestions {
        KnownQuestions(
            ImportableSeries.Target(
                name: .init(id: seriesID, title: "S", rounds: 1),
                questions: try FormDefinition.readQuestions(JSONValue.parse(Array(questions.utf8)))))
    }

    private static func draft(_ columns: [MapDraft.Column], _ known: KnownQuestions) -> MapDraft {
        MapDraft(
            columns: columns, seriesTitle: "S", meetingTitle: "M", timeZone: "UTC", order: nil, addingTo: known)
    }

    private static func questions(_ columns: [MapDraft.Column], _ questions: String) throws -> [JSONValue] {
        let draft = draft(columns, try known(questions))
        #expect(draft.json["series"]?.text == #"{"id":"\#(seriesID.lowercased)"}"#)
        let map = try ImportMap.read(Array(draft.text.utf8))
        #expect(map.series.id == seriesID)
        return map.questions.map(\.definition)
    }

    @Test func titlesIdentifyQuestionsWhateverTheirCaseAndSpaces() throws {
        let found = try Self.questions(
            [.init(name: "a", use: .text, title: "  why  NOT? "), .init(name: "b", use: .text, title: "Other")],
            #"[{"key": "why", "kind": "text", "title": "Why not?", "description": "D"}]"#)
        #expect(found.map { $0["key"]?.string } == ["why", "b"])
        #expect(found[0]["title"]?.string == "Why not?" && found[0]["description"]?.string == "D")
    }

    @Test func otherQuestionsGetKeysThatTheSeriesDoesNotHave() throws {
        let found = try Self.questions(
            [.init(name: "why", use: .text, title: "New"), .init(name: "x", use: .text, title: "Why?")],
            #"[{"key": "why", "kind": "text", "title": "Why?"}]"#)
        #expect(found.map { $0["key"]?.string } == ["why_2", "why"])
    }

    @Test func onlyTheFirstColumnOfATitleContinuesTheQuestion() throws {
        let found = try Self.questions(
            [.init(name: "a", use: .text, title: "Why?"), .init(name: "b", use: .text, title: "Why?")],
            #"[{"key": "why", "kind": "text", "title": "Why?", "maxLength": 2000}]"#)
        #expect(found.map { $0["key"]?.string } == ["why", "b"])
        #expect(found.map { $0["maxLength"]?.int } == [2000, nil])
    }

    @Test func ratingKeepsItsLabelsAndMetricOnItsScale() throws {
        let known =
            #"[{"key": "nps", "kind": "rating", "title": "Recommend?", "min": 0, "max": 10, "metric": "nps", "minLabel": "no", "required": true}]"#
        let same = try Self.questions([.init(name: "Recommend?", use: .rating(min: 0, max: 10))], known)[0]
        #expect(same["metric"]?.string == "nps" && same["minLabel"]?.string == "no" && same["required"] == nil)
        let other = try Self.questions([.init(name: "Recommend?", use: .rating(min: 1, max: 5))], known)[0]
        #expect(other["key"]?.string == "nps" && other["metric"] == nil && other["minLabel"] == nil)
    }

    @Test func optionsKeepTheIdsOfTheirLabels() throws {
        let found = try Self.questions(
            [
                .init(name: "Q [ the Demo]", use: .option, title: "What?"), .init(name: "Q [New]", use: .option),
                .init(name: "Q [o1]", use: .option),
            ],
            #"""
            [{"key": "topics", "kind": "choice", "title": "What?", "multiple": true,
              "options": [{"id": "o1", "label": "The demo"}, {"id": "new", "label": "Old"}]}]
            """#)[0]
        #expect(found["key"]?.string == "topics")
        #expect(found["options"]?.array?.map { $0["id"]?.string } == ["o1", "new_2", "o1_2"])
    }

    @Test func usesFollowTheQuestionIfTheValuesAllowIt() throws {
        let known = try Self.known(
            #"""
            [{"key": "pace", "kind": "rating", "title": "P", "min": 1, "max": 10},
             {"key": "why", "kind": "text", "title": "W"},
             {"key": "pick", "kind": "choice", "title": "C", "options": [{"id": "a", "label": "A"}]},
             {"key": "many", "kind": "choice", "title": "M", "multiple": true, "options": [{"id": "a", "label": "A"}]},
             {"key": "odd", "kind": "rating", "title": "O", "min": 0, "max": 9}]
            """#)
        func fitted(_ use: ColumnUse, _ heading: String) throws -> String {
            use.fitted(to: try #require(known.question(ofColumn: heading))).name
        }
        #expect(try fitted(.rating(min: 1, max: 5), "pace") == "rating-1-10")
        #expect(try fitted(.text, "pace") == "text" && fitted(.choice, "why") == "text")
        #expect(try fitted(.text, "pick") == "choice" && fitted(.text, "many") == "text")
        #expect(try fitted(.rating(min: 0, max: 10), "odd") == "rating-0-10")
        #expect(try fitted(.submittedAt, "why") == "time" && fitted(.rating(min: 1, max: 5), "W") == "text")
        #expect(known.question(ofColumn: "nothing") == nil)
    }
}
