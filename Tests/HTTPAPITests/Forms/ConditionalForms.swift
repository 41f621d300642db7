import Contract
import StrictJSON
import TestSupport
import Testing

/// Questions that are asked only after certain answers, over the API.
@Suite(.timeLimit(.minutes(15))) struct ConditionalForms {
    private static let ate = """
        {"key": "ate", "kind": "choice", "title": "Did you eat?", "required": true,
         "options": [{"id": "yes", "label": "Yes"}, {"id": "no", "label": "No"}]}
        """
    private static func food(_ condition: String?) -> String {
        let member = condition.map { ", \"showIf\": \($0)" } ?? ""
        return "{\"key\": \"food\", \"kind\": \"rating\", \"title\": \"The food?\"\(member)}"
    }
    private static let questions = "[\(ate), \(food(#"{"question": "ate", "is": "yes"}"#))]"

    @Test func conditionIsInTheFormOfTheHostAndOfTheParticipant() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.questions)
            let condition = try JSONValue.parse(#"{"question":"ate","is":"yes"}"#)
            for response in [try await meeting.form(), try await meeting.anyone.get(meeting.formPath)] {
                let questions = try response.expect(200).json?["questions"]?.array
                #expect(questions?[1]["showIf"] == condition && questions?[0]["showIf"] == nil)
            }
            let form = try await meeting.anyone.get(meeting.formPath).decoded(as: PublicForm.self)
            #expect(form.questions[1].showIf == ShowIf(.init("ate", is: .option("yes"))))
        }
    }

    @Test func answerToAQuestionThatWasNotAskedIsRefusedOnBothPaths() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.questions)
            // The second request finds the form in memory, which takes the shortcut.
            for _ in 0..<2 {
                try await meeting.submit(#"{"ate": "yes", "food": 4}"#).expect(201)
                let refused = try await meeting.submit(#"{"ate": "no", "food": 4}"#)
                #expect(refused.status == 422 && refused.faults == ["/answers/food not-asked"])
            }
            try await meeting.submit(#"{"ate": "no"}"#).expect(201)
            try await meeting.submit(#"{"ate": "yes"}"#).expect(201)
            let food = try await meeting.results().json?["questions"]?.array?[1]
            #expect(food?["asked"]?.int == 3 && food?["answered"]?.int == 2 && food?["skipped"]?.int == 1)
        }
    }

    /// A participant may have opened the form before its condition changed. Each version is judged as itself.
    @Test func conditionMayChangeWhilePeopleAnswer() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.questions)
            let first = try await meeting.submit(#"{"ate": "yes", "food": 4}"#).expect(201)
            let changed = "[\(Self.ate), \(Self.food(#"{"question": "ate", "is": "no"}"#))]"
            try await meeting.define("{\"questions\": \(changed)}").expect(200)
            try await meeting.send(#"{"version": 1, "answers": {"ate": "yes", "food": 5}}"#).expect(201)
            try await meeting.send(#"{"version": 1, "answers": {"ate": "no"}}"#).expect(201)
            let refused = try await meeting.send(#"{"answers": {"ate": "yes", "food": 5}}"#)
            #expect(refused.faults == ["/answers/food not-asked"])
            try await meeting.send(#"{"answers": {"ate": "no"}}"#).expect(201)

            var results = try await meeting.results().json
            var food = results?["questions"]?.array?[1]
            #expect(food?["asked"]?.int == 3 && food?["answered"]?.int == 2 && food?["skipped"]?.int == 1)
            let change = results?["changes"]?.array?.first
            #expect(change?["change"]?.string == "conditioned" && change?["key"]?.string == "food")

            // A correction answers the newest version, by whose condition it is judged.
            let id = try first.string("id")
            let receipt = ["Authorization": "Receipt \(try first.string("receipt"))"]
            let path = "\(meeting.submissionsPath)/\(id)"
            let kept = try await meeting.anyone.put(
                path, json: #"{"answers": {"ate": "yes", "food": 1}}"#, headers: receipt)
            #expect(kept.faults == ["/answers/food not-asked"])
            try await meeting.anyone.put(path, json: #"{"answers": {"ate": "yes"}}"#, headers: receipt).expect(200)
            results = try await meeting.results().json
            food = results?["questions"]?.array?[1]
            #expect(food?["asked"]?.int == 2 && food?["answered"]?.int == 1)
        }
    }

    @Test func anonymousFormRefusesConditions() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting("[\(Self.ate)]")
            let refused = try await meeting.define("{\"anonymous\": true, \"questions\": \(Self.questions)}")
            #expect(refused.status == 422 && refused.faults == ["/questions/1/showIf anonymous-form"])
            try await meeting.define("{\"anonymous\": true, \"questions\": [\(Self.ate)]}").expect(200)
            let next = try await meeting.host.post(
                "/v1/series/\(meeting.seriesID)/meetings", json: "{\"questions\": \(Self.questions)}")
            #expect(next.status == 422 && next.faults == ["/questions/1/showIf anonymous-form"])
            let template = try await meeting.host.post(
                "/v1/templates",
                json: "{\"name\": \"T\", \"definition\": {\"anonymous\": true, \"questions\": \(Self.questions)}}")
            #expect(template.status == 422 && template.faults == ["/definition/questions/1/showIf anonymous-form"])
        }
    }

    @Test func nextRoundAndTemplatesKeepConditions() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.questions)
            let expected = try await meeting.form().json?["questions"]
            let next = try await meeting.host.post("/v1/series/\(meeting.seriesID)/meetings", json: "{}").expect(201)
            #expect(try TestMeeting(created: next, host: meeting.host, anyone: meeting.anyone).id != meeting.id)
            let form = try await meeting.host.get("/v1/meetings/\(try next.string("id"))/form")
            #expect(form.json?["questions"] == expected)
            let saved = try await meeting.host.post(
                "/v1/templates", json: "{\"name\": \"T\", \"definition\": {\"questions\": \(Self.questions)}}"
            ).expect(201)
            let template = try await meeting.host.get("/v1/templates/\(try saved.string("id"))")
            #expect(template.json?["definition"]?["questions"] == expected)
        }
    }

    @Test func exportsAndTrendsCountThoseWhoWereAsked() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.questions)
            try await meeting.submit(#"{"ate": "yes", "food": 4}"#).expect(201)
            try await meeting.submit(#"{"ate": "yes"}"#).expect(201)
            try await meeting.submit(#"{"ate": "no"}"#).expect(201)
            let table = try await meeting.host.get("\(meeting.path)/export/questions.ndjson").expect(200)
            let rows = try table.text.split(separator: "\n").map { try JSONValue.parse(String($0)) }
            #expect(rows.map { $0["skipped"]?.int } == [0, 1] && rows.map { $0["answered"]?.int } == [3, 1])
            let trend = try await meeting.host.get("/v1/series/\(meeting.seriesID)/trend?key=food").expect(200)
            #expect(trend.json?["asked"] == .array([JSONValue(2)]) && trend.json?["skipped"] == .array([JSONValue(1)]))
            let picture = try await meeting.host.get("\(meeting.path)/results/food.svg").expect(200)
            #expect(picture.text.contains("2 asked"))
        }
    }
}
