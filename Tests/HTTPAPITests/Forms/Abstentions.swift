import Contract
import Domain
import StrictJSON
import TestSupport
import Testing

/// Answers of people who cannot or do not want to rate, over the API. They are counted apart.
@Suite(.timeLimit(.minutes(15))) struct Abstentions {
    private static let pace = """
        {"key": "pace", "kind": "rating", "title": "Pace?", "required": true, "abstain": "Cannot judge"}
        """
    private static let nps = """
        {"key": "nps", "kind": "rating", "title": "Recommend?", "min": 0, "max": 10, "metric": "nps",
         "abstain": "No answer"}
        """
    private static let plain = #"{"key": "plain", "kind": "rating", "title": "Plain?"}"#
    private static let questions = "[\(pace), \(nps), \(plain)]"

    private static func question(_ key: String, of meeting: TestMeeting) async throws -> QuestionResults {
        let results = try await meeting.results().expect(200).decoded(as: Contract.Results.self)
        return try #require(results.questions.first { $0.key == key })
    }

    @Test func labelIsInTheFormOfTheHostAndOfTheParticipant() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.questions)
            for response in [try await meeting.form(), try await meeting.anyone.get(meeting.formPath)] {
                let questions = try response.expect(200).json?["questions"]?.array
                #expect(questions?[0]["abstain"]?.string == "Cannot judge")
                #expect(questions?[2]["abstain"] == nil, "a form without abstentions is the same as before")
            }
        }
    }

    @Test(arguments: [
        (#""kind": "rating", "abstain": " ""#, "/questions/0/abstain required", 422),
        (#""kind": "rating", "abstain": 1"#, "/questions/0/abstain wrong-type", 400),
        (#""kind": "rating", "abstain": true"#, "/questions/0/abstain wrong-type", 400),
        (
            "\"kind\": \"rating\", \"abstain\": \"\(String(repeating: "x", count: 301))\"",
            "/questions/0/abstain too-long", 422
        ),
        (#""kind": "text", "abstain": "No""#, "/questions/0/abstain unknown-field", 400),
        (
            #""kind": "choice", "options": [{"id": "a", "label": "A"}], "abstain": "No""#,
            "/questions/0/abstain unknown-field", 400
        ),
    ])
    func definitionWithoutAUsableLabelIsRefused(members: String, fault: String, status: Int) async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let refused = try await meeting.define("{\"questions\": [{\"key\": \"a\", \"title\": \"A\", \(members)}]}")
            #expect(refused.status == status && refused.faults == [fault], "\(refused.faults)")
        }
    }

    /// The second request finds the form in memory, which takes the shortcut.
    @Test func onlyOfferedAbstentionsAreAcceptedOnBothPaths() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.questions)
            for _ in 0..<2 {
                try await meeting.submit(#"{"pace": "abstain"}"#).expect(201)
                let notOffered = try await meeting.submit(#"{"pace": 3, "plain": "abstain"}"#)
                #expect(notOffered.status == 422 && notOffered.faults == ["/answers/plain wrong-type"])
                let unknown = try await meeting.submit(#"{"pace": "Cannot judge"}"#)
                #expect(unknown.status == 422 && unknown.faults == ["/answers/pace wrong-type"])
                #expect(try await meeting.submit("{}").faults == ["/answers/pace required"])
            }
            #expect(try await Self.question("pace", of: meeting).abstained == 2)
        }
    }

    @Test func abstentionsAreInNoStatistic() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.questions)
            for (pace, nps) in [("2", "9"), ("4", "0"), ("\"abstain\"", "\"abstain\""), ("\"abstain\"", "null")] {
                try await meeting.submit("{\"pace\": \(pace), \"nps\": \(nps)}").expect(201)
            }
            let pace = try await Self.question("pace", of: meeting)
            #expect(pace.answered == 2 && pace.abstained == 2 && pace.skipped == 0 && pace.asked == 4)
            #expect(pace.abstain == "Cannot judge" && pace.labels == ["1", "2", "3", "4", "5"])
            #expect(pace.datasets?.first?.data == [0, 1, 0, 1, 0] && pace.points?[1].share == 0.5)
            #expect(pace.summary?.mean == 3 && pace.summary?.median == 3)
            let nps = try await Self.question("nps", of: meeting)
            #expect(nps.answered == 2 && nps.abstained == 1 && nps.skipped == 1 && nps.summary?.nps?.score == 0)
            #expect(try await Self.question("plain", of: meeting).abstained == nil)
        }
    }

    @Test func correctionMovesAnAbstention() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.questions)
            let first = try await meeting.submit(#"{"pace": "abstain"}"#).expect(201)
            let receipt = ["Authorization": "Receipt \(try first.string("receipt"))"]
            let path = "\(meeting.submissionsPath)/\(try first.string("id"))"
            #expect(try await meeting.anyone.get(path, headers: receipt).json?["answers"]?["pace"]?.string == "abstain")
            try await meeting.anyone.put(path, json: #"{"answers": {"pace": 5}}"#, headers: receipt).expect(200)
            var pace = try await Self.question("pace", of: meeting)
            #expect(pace.answered == 1 && pace.abstained == 0 && pace.summary?.mean == 5)
            try await meeting.anyone.put(path, json: #"{"answers": {"pace": "abstain"}}"#, headers: receipt).expect(200)
            pace = try await Self.question("pace", of: meeting)
            #expect(pace.answered == 0 && pace.abstained == 1 && pace.summary?.mean == nil)
            try await meeting.anyone.delete(path, headers: receipt).expect(204)
            #expect(try await Self.question("pace", of: meeting).abstained == 0)
        }
    }

    @Test func replayOfAnAbstentionCountsOnce() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.questions)
            let headers = ["Idempotency-Key": "abstained-0123456789"]
            let body = #"{"answers": {"pace": "abstain"}}"#
            let first = try await meeting.anyone.post(meeting.submissionsPath, json: body, headers: headers).expect(201)
            let again = try await meeting.anyone.post(meeting.submissionsPath, json: body, headers: headers).expect(201)
            #expect(again.body == first.body && again["Idempotency-Replayed"] == "true")
            #expect(try await Self.question("pace", of: meeting).abstained == 1)
        }
    }

    /// Old answers stay abstentions if the question offers none any more.
    @Test func abstentionThatIsNoLongerOfferedStaysInTheResults() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting("[\(Self.pace)]")
            try await meeting.submit(#"{"pace": "abstain"}"#).expect(201)
            let without = #"[{"key": "pace", "kind": "rating", "title": "Pace?", "required": true}]"#
            try await meeting.define("{\"questions\": \(without)}").expect(200)
            #expect(try await meeting.submit(#"{"pace": "abstain"}"#).status == 422)
            try await meeting.send(#"{"version": 1, "answers": {"pace": "abstain"}}"#).expect(201)
            let results = try await meeting.results().expect(200).decoded(as: Contract.Results.self)
            #expect(results.questions[0].abstained == 2 && results.questions[0].abstain == "Cannot judge")
            let change = try #require(results.changes.first)
            #expect(change.change == "abstain-labelled" && change.from == "Cannot judge" && change.to == nil)
        }
    }

    @Test func resultsCanBeFilteredByAbstention() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.questions)
            for (pace, plain) in [("\"abstain\"", 1), ("\"abstain\"", 3), ("5", 5)] {
                try await meeting.submit("{\"pace\": \(pace), \"plain\": \(plain)}").expect(201)
            }
            func filter(_ condition: String) async throws -> HTTPTestClient.Response {
                try await meeting.host.get("\(meeting.path)/results?where=\(condition)")
            }
            let found = try await filter("pace:abstain").expect(200).decoded(as: Contract.FilteredResults.self).results
            #expect(found.submissions == 2 && found.questions[0].abstained == 2 && found.questions[0].answered == 0)
            #expect(found.questions[2].summary?.mean == 2)
            let rated = try await filter("pace:5").expect(200).decoded(as: Contract.FilteredResults.self).results
            #expect(rated.questions[0].abstained == 0 && rated.questions[0].skipped == 0)
            #expect(try await filter("plain:abstain").faults == ["?where unknown-option"])
            let path = "\(meeting.path)/results/crosstab?rows=pace&columns=plain"
            let table = try await meeting.host.get(path).expect(200).decoded(as: Contract.CrossTab.self)
            #expect(table.rows.answered == 1 && table.answered == 1 && table.labels.count == 5)
        }
    }

    /// An abstention is not an answer that conditions test, but they can test the abstention itself.
    @Test func conditionsDistinguishAbstentions() async throws {
        func follow(_ key: String, _ condition: String) -> String {
            "{\"key\": \"\(key)\", \"kind\": \"text\", \"title\": \"T\", \"showIf\": {\"question\": \"pace\", \(condition)}}"
        }
        let conditions = [
            ("answered", #""answered": true"#), ("unanswered", #""answered": false"#), ("four", #""atLeast": 4"#),
            ("low", #""atMost": 3"#), ("not", #""isNot": 3"#), ("abstained", #""is": "abstain""#),
            ("rated", #""isNot": "abstain""#),
        ]
        let asked = [
            #""abstain""#: ["unanswered", "abstained"], "5": ["answered", "four", "not", "rated"],
            "3": ["answered", "low", "rated"],
        ]
        try await TestService.run { service in
            let meeting = try await service.openMeeting(
                "[\(Self.pace), \(conditions.map { follow($0.0, $0.1) }.joined(separator: ", "))]")
            for (answer, keys) in asked {
                for (key, _) in conditions {
                    let sent = try await meeting.submit("{\"pace\": \(answer), \"\(key)\": \"x\"}")
                    #expect(sent.status == (keys.contains(key) ? 201 : 422), "\(answer) \(key)")
                }
            }
            let results = try await meeting.results().expect(200).decoded(as: Contract.Results.self)
            let found = try await meeting.host.get("\(meeting.path)/results?where=pace:abstain").expect(200)
                .decoded(as: Contract.FilteredResults.self).results
            for question in results.questions.dropFirst() {
                let expected = asked.values.reduce(0) { $0 + ($1.contains(question.key) ? $1.count : 0) }
                #expect(question.asked == expected, "\(question.key)")
                let filtered = found.questions.first { $0.key == question.key }
                #expect(filtered?.asked == (asked[#""abstain""#]?.contains(question.key) == true ? 2 : 0))
            }
            let refused = try await meeting.define(
                "{\"questions\": [\(Self.plain), {\"key\": \"q\", \"kind\": \"text\", \"title\": \"T\", "
                    + "\"showIf\": {\"question\": \"plain\", \"is\": \"abstain\"}}]}")
            #expect(refused.faults == ["/questions/1/showIf/is not-an-option"])
        }
    }

    @Test func exportsNameAbstentionsApart() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting("[\(Self.pace)]")
            for answer in ["4", "\"abstain\""] { try await meeting.submit("{\"pace\": \(answer)}").expect(201) }
            func lines(_ file: String) async throws -> [String] {
                try await meeting.host.get("\(meeting.path)/export/\(file)").expect(200).text
                    .split(separator: "\r\n").map(String.init)
            }
            let summary = try await lines("summary.csv")
            #expect(summary.count == 7 && summary[6].hasSuffix(#",6,"abstain","Cannot judge",,1,,1,0"#))
            #expect(summary[4].hasSuffix(#",4,"4","4",4,1,1,1,0"#))
            let submissions = Set(try await lines("submissions.csv").dropFirst().map { $0.suffix(9) })
            #expect(submissions.contains("\"abstain\""))
            let titled = try await lines("submissions.csv?titles=true").joined()
            #expect(titled.contains("\"Cannot judge\""))
            let answers = try await lines("answers.csv").dropFirst().joined()
            #expect(answers.contains(#""pace","rating","abstain","#) && answers.contains(#""pace","rating",,4"#))
            let lined = try await meeting.host.get("\(meeting.path)/export/submissions.ndjson").text
            #expect(lined.contains(#""pace":"abstain""#))
            let picture = try await meeting.host.get("\(meeting.path)/results/pace.svg").expect(200).text
            #expect(picture.contains("Cannot judge: 1"))
        }
    }

    /// People who abstain have no rating that could be guessed, so the room consists of the others.
    @Test func roomLeavesOutPeopleWhoAbstained() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting("[\(Self.pace)]", settings: #""identity": "device""#)
            for (index, answer) in ["4", "2", "\"abstain\""].enumerated() {
                let device = ["Authorization": "Respondent \(String(repeating: "\(index)", count: 40))"]
                try await meeting.anyone.post(
                    meeting.submissionsPath, json: "{\"answers\": {\"pace\": \(answer)}}", headers: device
                ).expect(201)
            }
            try await service.patch(meeting.path, #"{"headcount": 5}"#, match: "*").expect(200)
            let room = try #require(try await Self.question("pace", of: meeting).room)
            #expect(room.people == 4 && room.silent == 2)
            // The two who are silent may rate 1 or 5.
            #expect(room.mean?.certain == [2, 4])
        }
    }
}
