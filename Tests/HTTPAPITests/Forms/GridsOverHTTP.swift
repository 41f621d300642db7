import Contract
import Domain
import StrictJSON
import TestSupport
import Testing

/// Grids over the API. Each statement is a rating with its own key.
@Suite(.timeLimit(.minutes(15))) struct GridsOverHTTP {
    private static let grid = """
        {"key": "course", "kind": "grid", "title": "The course", "min": 1, "max": 3, "labels": ["no", "partly", "yes"],
         "abstain": "Cannot judge",
         "statements": [{"key": "clear", "title": "It was clear"}, {"key": "useful", "title": "It was useful"},
                        {"key": "short", "title": "It was short"}]}
        """

    @Test func hostsGetTheGridAndParticipantsItsStatements() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting("[\(Self.grid)]")
            let form = try await meeting.form().expect(200).json?["questions"]?.array
            #expect(form?.count == 1 && form?[0]["kind"]?.string == "grid")
            #expect(form?[0]["statements"]?.array?.map { $0["key"]?.string } == ["clear", "useful", "short"])
            #expect(form?[0]["labels"]?.array?.count == 3 && form?[0]["grid"] == nil)
            let open = try await meeting.anyone.get(meeting.formPath).decoded(as: Contract.PublicForm.self)
            #expect(open.questions.map(\.key) == ["clear", "useful", "short"])
            #expect(open.questions.allSatisfy { $0.kind == "rating" && $0.grid?.key == "course" && $0.max == 3 })
            // What a host gets can be sent back.
            let body = try await meeting.form().decoded(as: Contract.Form.self).definition
            try await meeting.define(JSONValue(encoding: body).text).expect(200)
            #expect(try await meeting.form().json?["questions"] == .array(form ?? []))
        }
    }

    @Test func eachStatementHasResultsOfItsOwn() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting("[\(Self.grid)]")
            for answers in [
                #"{"clear": 3, "useful": 3, "short": 2}"#, #"{"clear": 1, "useful": 2, "short": 1}"#,
                #"{"clear": 2, "useful": 3, "short": 2}"#, #"{"clear": 3, "useful": "abstain"}"#,
            ] { try await meeting.submit(answers).expect(201) }
            #expect(try await meeting.submit(#"{"clear": 4}"#).faults == ["/answers/clear out-of-range"])
            #expect(try await meeting.submit(#"{"course": 1}"#).faults == ["/answers/course unknown-question"])
            let results = try await meeting.results().expect(200).decoded(as: Contract.Results.self)
            #expect(results.questions.map(\.answered) == [4, 3, 3])
            #expect(results.questions.allSatisfy { $0.kind == "rating" && $0.grid?.title == "The course" })
            #expect(results.questions[0].labels == ["no", "partly", "yes"])
            #expect(results.questions[1].abstained == 1 && results.questions[0].summary?.mean == 2.25)

            let response = try await meeting.host.get("\(meeting.path)/results/alpha?grid=course").expect(200)
            let alpha = try response.decoded(as: Contract.GridAlpha.self)
            #expect(alpha.n == 3 && alpha.statements == ["clear", "useful", "short"] && alpha.partial == nil)
            // Totals 8, 4, 7; variances 1, 1/3, 1/3 of 13/3.
            #expect(abs((alpha.alpha ?? 0) - 1.5 * (1 - (5.0 / 3) / (13.0 / 3))) < 1e-12)
            #expect(alpha.confidence95?.count == 2)
            for (query, fault) in [("?grid=pace", "?grid unknown-question"), ("", "?grid required")] {
                let refused = try await meeting.host.get("\(meeting.path)/results/alpha\(query)")
                #expect(refused.status == 422 && refused.faults == [fault])
            }
        }
    }

    @Test func gridHasAPictureOfItsBars() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting("[\(Self.grid)]")
            try await meeting.submit(#"{"clear": 3, "useful": 1, "short": 2}"#).expect(201)
            let path = "\(meeting.path)/results/course.svg"
            let picture = try await meeting.host.get(path).expect(200)
            #expect(picture.text.contains("It was useful") && picture.text.contains(#"data-id="useful:1""#))
            for query in ["?bars=aside", "?bars=stacked&order=agreement", "?width=320"] {
                #expect(try await meeting.host.get(path + query).expect(200).text != picture.text)
            }
            for (query, fault) in [
                ("course.svg?shape=bars", "?shape shape-not-fitting"), ("course.svg?bars=pie", "?bars unknown-choice"),
                ("clear.svg?bars=split", "?bars not-a-grid"), ("clear.svg?order=form", "?order not-a-grid"),
            ] {
                let refused = try await meeting.host.get("\(meeting.path)/results/\(query)")
                #expect(refused.status == 422 && refused.faults == [fault], "\(query)")
            }
        }
    }

    @Test func exportsNameTheGridsOfStatementsOnRequest() async throws {
        try await TestService.run { service in
            let pace = #"{"key": "pace", "kind": "rating", "title": "Pace"}"#
            let meeting = try await service.openMeeting("[\(Self.grid), \(pace)]")
            try await meeting.submit(#"{"clear": 3, "useful": "abstain"}"#).expect(201)
            for table in ["questions", "summary"] {
                let plain = try await meeting.host.get("\(meeting.path)/export/\(table).csv").expect(200).text
                let lines = try await meeting.host.get("\(meeting.path)/export/\(table).csv?grids=true").expect(200)
                    .text
                    .split(separator: "\r\n")
                #expect(!plain.contains("grid") && lines[0].hasSuffix(#","grid","grid_title""#))
                #expect(lines[1].hasSuffix(#","course","The course""#) && lines.last?.hasSuffix(",,") == true)
            }
            #expect(try await meeting.host.get("\(meeting.path)/export/summary.xlsx").status == 200)
        }
    }

    @Test func statementsHaveTrendsOverTheRoundsOfASeries() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting("[\(Self.grid)]")
            try await meeting.submit(#"{"clear": 3, "useful": 1}"#).expect(201)
            let series = try #require(try await meeting.host.get(meeting.path).expect(200).json?["seriesId"]?.string)
            let changed = Self.grid.replacing("It was clear", with: "The aims were clear")
            try await meeting.define("{\"questions\": [\(changed)]}").expect(200)
            let pooled = try await meeting.host.get("/v1/series/\(series)/results").expect(200).json?["questions"]?
                .array
            #expect(pooled?.map { $0["grid"]?["key"]?.string } == ["course", "course", "course"])
            let trend = try await meeting.host.get("/v1/series/\(series)/trend?key=clear").expect(200)
            let read = try trend.decoded(as: Contract.Trend.self)
            #expect(read.datasets.first?.data == [3] && read.changes.map(\.change) == ["reworded"])
        }
    }

    /// Alpha depends on which answers people gave together, as cross-tabs do.
    @Test func alphaOfAnAnonymousFormExistsOnlyIfItsStatementsMayBeCrossTabulated() async throws {
        for isSafe in [true, false] {
            try await TestService.run { service in
                let meeting = try await service.openMeeting(
                    "[\(Self.grid)]", settings: #""anonymous": true, "minimumGroup": 3"#)
                for rating in [1, 3] {
                    for _ in 0..<4 {
                        let answers = "{\"clear\": \(rating), \"useful\": \(rating), \"short\": \(rating)}"
                        try await meeting.submit(answers).expect(201)
                    }
                }
                if !isSafe { try await meeting.submit(#"{"clear": 1, "useful": 3, "short": 3}"#).expect(201) }
                let path = "\(meeting.path)/results/alpha?grid=course"
                #expect(try await meeting.host.get(path).problem == "results-withheld")
                try await meeting.perform("close").expect(200)
                let response = try await meeting.host.get(path)
                #expect(response.status == (isSafe ? 200 : 422))
                if isSafe { #expect(try response.decoded(as: Contract.GridAlpha.self).alpha == 1) }
            }
        }
    }
}
