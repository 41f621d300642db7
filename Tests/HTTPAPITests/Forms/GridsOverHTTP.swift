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
