import Contract
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct FormEditing {
    private static func list(_ questions: String...) -> String { "[\(questions.joined(separator: ", "))]" }
    private static func text(_ key: String) -> String {
        "{\"key\": \"\(key)\", \"kind\": \"text\", \"title\": \"T\"}"
    }
    private static func choice(_ key: String, _ ids: [String]) -> String {
        let options = ids.map { "{\"id\": \"\($0)\", \"label\": \"L\"}" }.joined(separator: ", ")
        return "{\"key\": \"\(key)\", \"kind\": \"choice\", \"title\": \"T\", \"options\": [\(options)]}"
    }

    @Test func allFaultsAreReportedWithTheirPointers() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            let body = """
                {"minimumGroup": 0, "cap": 0, "graceMinutes": -1, "identity": "everyone",
                 "opens": "2027-01-02T00:00:00Z", "closes": "2027-01-01T00:00:00Z", "questions": [
                    {"key": "Bad Key", "kind": "text", "title": "T"},
                    {"key": "id", "kind": "text", "title": "T"},
                    {"key": "same", "kind": "rating", "title": "T", "min": 2, "max": 11},
                    {"key": "same", "kind": "text", "title": " ", "maxLength": 10001},
                    \(Self.choice("options", ["a", "a", "other"])),
                    {"key": "none", "kind": "choice", "title": "T", "options": []},
                    {"key": "nps", "kind": "rating", "title": "T", "metric": "nps"},
                    {"key": "kind", "kind": "slider", "title": "T"}]}
                """
            let response = try await meeting.define(body)
            #expect(response.status == 422 && response.problem == "validation-failed")
            #expect(
                Set(response.faults) == [
                    "/minimumGroup out-of-range", "/cap out-of-range", "/graceMinutes out-of-range",
                    "/identity unknown-value", "/closes closes-before-opens", "/questions/0/key invalid-key",
                    "/questions/1/key reserved-key", "/questions/2/min out-of-range", "/questions/2/max out-of-range",
                    "/questions/3/key duplicate-key", "/questions/3/title required",
                    "/questions/3/maxLength out-of-range", "/questions/4/options/1/id duplicate-option",
                    "/questions/4/options/2/id reserved-option", "/questions/5/options required",
                    "/questions/6/metric nps-range", "/questions/7/kind unknown-value",
                ])
            #expect(
                try await meeting.form().json?["questions"]?.array?.count == 3, "the refused definition was not stored")
        }
    }

    @Test func formIsLimitedToAHundredQuestionsOfFiftyOptions() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting("[]")
            let ids = (1...51).map { "o\($0)" }
            let questions = (1...100).map { Self.choice("q\($0)", Array(ids.prefix(50))) }
            let full = try await meeting.define("{\"questions\": [\(questions.joined(separator: ","))]}")
            #expect(try full.expect(200).decoded(as: Form.self).definition.questions.count == 100)
            let tooMany = (1...101).map { Self.text("q\($0)") }
            let response = try await meeting.define("{\"questions\": [\(tooMany.joined(separator: ","))]}")
            #expect(response.status == 422 && response.faults == ["/questions too-many"])
            let options = try await meeting.define("{\"questions\": \(Self.list(Self.choice("q", ids)))}")
            #expect(options.status == 422 && options.faults == ["/questions/0/options too-many"])
        }
    }

    @Test func syntaxAndTypesAreCheckedBeforeRules() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            let cases: [(String, [String])] = [
                (#"{"cap": 0, "colour": 1, "questions": []}"#, ["/cap out-of-range", "/colour unknown-field"]),
                (#"{"questions": {}}"#, ["/questions wrong-type"]),
                (#"{"questions": [1]}"#, ["/questions/0 wrong-type"]),
                (#"{"anonymous": "yes", "questions": []}"#, ["/anonymous wrong-type"]),
            ]
            for (body, faults) in cases {
                let response = try await meeting.define(body)
                #expect(
                    response.status == 400 && Set(response.faults).isSuperset(of: faults), "\(body): \(response.text)")
            }
            #expect(try await meeting.define(#"{"questions": [], "questions": []}"#).status == 400)
            #expect(try await meeting.define(#"{"questions": [],}"#).status == 400)
        }
    }

    @Test func editRequiresIfMatch() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            let path = "\(meeting.path)/form"
            let unconditional = try await service.host.put(path, json: "nonsense")
            #expect(unconditional.status == 428 && unconditional.problem == "precondition-required")
            let old = try #require(try await meeting.form()["ETag"])
            let body = "{\"questions\": \(Self.list(Self.text("a")))}"
            let saved = try await service.host.put(path, json: body, headers: ["If-Match": old]).expect(200)
            let new = try #require(saved["ETag"])
            #expect(new != old)
            let stale = try await service.host.put(path, json: "nonsense", headers: ["If-Match": old])
            #expect(stale.status == 412 && stale.problem == "precondition-failed")
            #expect(try await service.host.put(path, json: body, headers: ["If-Match": "W/\(new)"]).status == 412)
            #expect(try await service.host.put(path, json: body, headers: ["If-Match": "\"x\", \(new)"]).status == 200)
            let current = try await meeting.form()
            let tag = try #require(current["ETag"])
            #expect(try await service.host.get(path, headers: ["If-None-Match": tag]).status == 304)
        }
    }

    @Test func onlyOneConcurrentEditSucceeds() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            let tag = try #require(try await meeting.form()["ETag"])
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        try await service.host.put(
                            "\(meeting.path)/form", json: "{\"questions\": \(Self.list(Self.text("a\(number)")))}",
                            headers: ["If-Match": tag]
                        ).status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.sorted() == [200] + Array(repeating: 412, count: 7))
        }
    }

    @Test func editOfAnOpenFormPublishesAVersionAndOlderOnesRemainAccepted() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.list(Self.text("old"), Self.choice("pick", ["a", "b"])))
            try await meeting.send(#"{"version": 1, "answers": {"old": "x", "pick": "a"}}"#).expect(201)
            let edited = try await meeting.define(
                "{\"questions\": \(Self.list(Self.choice("pick", ["b", "c"]), Self.text("new")))}"
            ).expect(200).decoded(as: Form.self)
            #expect(edited.version == 2 && edited.state == "open")
            let shown = try await service.anyone.get(meeting.formPath).expect(200).decoded(as: PublicForm.self)
            #expect(shown.version == 2 && shown.questions.map(\.key) == ["pick", "new"])

            try await meeting.send(#"{"version": 1, "answers": {"old": "y", "pick": "a"}}"#).expect(201)
            try await meeting.send(#"{"version": 2, "answers": {"new": "z", "pick": "c"}}"#).expect(201)
            try await meeting.send(#"{"answers": {"pick": "b"}}"#).expect(201)
            let mixed = try await meeting.send(#"{"version": 2, "answers": {"old": "y", "pick": "a"}}"#)
            #expect(mixed.status == 422)
            #expect(mixed.faults == ["/answers/old unknown-question", "/answers/pick unknown-option"])
            for version in ["0", "3", "-1", "99999999999", "1e400"] {
                let unknown = try await meeting.send("{\"version\": \(version), \"answers\": {}}")
                #expect(
                    unknown.status == 422 && unknown.faults.first?.hasPrefix("/version ") == true, "\(unknown.text)")
            }

            let results = try await meeting.results().expect(200).decoded(as: Results.self)
            #expect(results.questions.map(\.key) == ["pick", "new", "old"], "a retired question comes last")
            #expect(results.questions[0].points?.map(\.id) == ["b", "c", "a"])
            #expect(results.questions[0].datasets?.first?.data == [1, 1, 2])
            #expect(results.questions[1].answered == 1 && results.questions[1].skipped == 1)
            #expect(results.questions[2].answered == 2 && results.questions[2].skipped == 0)
        }
    }

    @Test func settingsFixedByAnswersCannotChange() async throws {
        try await TestService.run { service in
            let rating = #"{"key": "r", "kind": "rating", "title": "T"}"#
            let meeting = try await service.openMeeting("[\(rating)]")
            try await meeting.submit(#"{"r": 3}"#).expect(201)
            let cases: [(String, [String])] = [
                (
                    #"{"questions": [{"key": "r", "kind": "text", "title": "T"}]}"#,
                    ["/questions/0/kind fixed-once-published"]
                ),
                (
                    #"{"questions": [{"key": "r", "kind": "rating", "title": "T", "min": 0, "max": 10}]}"#,
                    ["/questions/0/min fixed-once-published", "/questions/0/max fixed-once-published"]
                ),
                ("{\"identity\": \"device\", \"questions\": [\(rating)]}", ["/identity fixed-after-answers"]),
                ("{\"anonymous\": true, \"questions\": [\(rating)]}", ["/anonymous fixed-after-answers"]),
                (#"{"questions": []}"#, ["/questions required"]),
            ]
            for (body, faults) in cases {
                let response = try await meeting.define(body)
                #expect(response.status == 422 && response.faults == faults, "\(body): \(response.text)")
            }
            let reworded = #"{"questions": [{"key": "r", "kind": "rating", "title": "Better words"}]}"#
            #expect(try await meeting.define(reworded).status == 200)
        }
    }
}
