import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

/// Regression tests for defects of an earlier implementation that no other suite covers.
@Suite(.timeLimit(.minutes(15))) struct PredecessorRegressions {
    private static let ratings = """
        {"key": "first", "kind": "rating", "title": "First?"}, {"key": "second", "kind": "rating", "title": "Second?"},
        {"key": "third", "kind": "rating", "title": "Third?"}
        """

    private static func question(_ key: String, in results: HTTPTestClient.Response) throws -> JSONValue {
        let questions = results.json?["questions"]?.array ?? []
        return try #require(questions.first { $0["key"] == .string(key) }, "\(key)")
    }

    private static func counts(_ key: String, in results: HTTPTestClient.Response) throws -> [Int] {
        let datasets = try question(key, in: results)["datasets"]?.array
        return (datasets?.first?["data"]?.array ?? []).compactMap { $0.double.map { Int($0) } }
    }

    @Test func answersBelongToTheirQuestionAfterReordering() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting("[\(Self.ratings)]")
            let reordered = #"""
                {"questions": [{"key": "new", "kind": "text", "title": "New?"},
                 {"key": "third", "kind": "rating", "title": "Third?"}, {"key": "first", "kind": "rating", "title": "First?"}]}
                """#
            try await meeting.define(reordered).expect(200)
            // A participant opened the form before it was edited.
            try await meeting.send(#"{"version": 1, "answers": {"first": 1, "second": 2, "third": 3}}"#).expect(201)
            try await meeting.send(#"{"version": 2, "answers": {"first": 1, "third": 3}}"#).expect(201)
            let results = try await meeting.results().expect(200)
            #expect(try Self.counts("first", in: results) == [2, 0, 0, 0, 0])
            #expect(try Self.counts("second", in: results) == [0, 1, 0, 0, 0])
            #expect(try Self.counts("third", in: results) == [0, 0, 2, 0, 0])
        }
    }

    @Test func skippedQuestionDoesNotShiftOtherAnswers() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting("[\(Self.ratings)]")
            try await meeting.submit(#"{"third": 5}"#).expect(201)
            try await meeting.submit(#"{"first": 1, "third": 4}"#).expect(201)
            let results = try await meeting.results().expect(200)
            #expect(try Self.counts("first", in: results) == [1, 0, 0, 0, 0])
            #expect(try Self.counts("second", in: results) == [0, 0, 0, 0, 0])
            #expect(try Self.counts("third", in: results) == [0, 0, 0, 1, 1])
        }
    }

    @Test func everyResultContainsItsQuestion() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            try await meeting.submit(#"{"pace": 2, "topics": ["talk"], "better": "x"}"#).expect(201)
            let questions = try await meeting.results().expect(200).json?["questions"]?.array ?? []
            #expect(questions.compactMap { $0["key"]?.string } == ["pace", "topics", "better"])
            #expect(questions.compactMap { $0["kind"]?.string } == ["rating", "choice", "text"])
            #expect(
                questions.compactMap { $0["title"]?.string }
                    == ["How was the pace?", "What helped?", "What should change?"])
        }
    }

    @Test func allOptionsAreCountedInTheFormsOrder() async throws {
        try await TestService.run { service in
            let options = (0..<50).map { #"{"id": "o\#($0)", "label": "Option \#($0)"}"# }.joined(separator: ", ")
            let meeting = try await service.openMeeting(
                #"[{"key": "one", "kind": "choice", "title": "One?", "options": [\#(options)]}]"#)
            for option in [7, 8, 49, 49, 49] { try await meeting.submit(#"{"one": "o\#(option)"}"#).expect(201) }
            let results = try await meeting.results().expect(200)
            var counts = Array(repeating: 0, count: 50)
            (counts[7], counts[8], counts[49]) = (1, 1, 3)
            #expect(try Self.counts("one", in: results) == counts)
            let labels = try Self.question("one", in: results)["labels"]?.array?.compactMap(\.string)
            #expect(labels == (0..<50).map { "Option \($0)" })
        }
    }

    @Test func unansweredRatingCountsAsSkippedAndNotAsTheLowest() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            try await meeting.submit("{}").expect(201)
            let results = try await meeting.results().expect(200)
            let pace = try Self.question("pace", in: results)
            #expect(pace["answered"] == .number("0") && pace["skipped"] == .number("1") && pace["mean"] == .null)
            #expect(try Self.counts("pace", in: results) == [0, 0, 0, 0, 0])
        }
    }

    @Test(arguments: [#"{"0": {"key": "a"}}"#, #""[]""#, #"[["key", "a"]]"#, "7", #"[null]"#])
    func questionsOfAnotherTypeAreRefused(questions: String) async throws {
        try await TestService.run { service in
            let response = try await service.host.post(
                "/v1/meetings", json: "{\"title\": \"A\", \"questions\": \(questions)}")
            #expect(
                response.status == 400 && response.faults.contains { $0.contains("wrong-type") }, "\(response.text)")
        }
    }

    @Test func refusedMeetingLeavesNoSeries() async throws {
        try await TestService.run { service in
            let times = #""startsAt": "2027-05-03T10:00:00Z", "endsAt": "2027-05-03T11:00:00Z", "timeZone": "UTC""#
            try await service.host.post("/v1/meetings", json: "{\"title\": \"A\", \(times)}").expect(201)
            #expect(try await service.host.post("/v1/meetings", json: "{\"title\": \"B\", \(times)}").status == 409)
            let titles = try await service.host.get("/v1/series").expect(200).json?["items"]?.array?
                .compactMap { $0["title"]?.string }
            #expect(titles == ["A"])
        }
    }

    @Test func refusedSubmissionDoesNotUseUpTheDevice() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""identity": "device""#)
            let device = String(repeating: "d", count: 43)
            #expect(try await meeting.submit(#"{"pace": 9}"#, respondent: device).status == 422)
            #expect(try await meeting.submit(#"{"pace": 4}"#, respondent: device).status == 201)
            #expect(try await meeting.submit(#"{"pace": 4}"#, respondent: device).problem == "already-submitted")
        }
    }

    @Test func countIncludesEachSubmissionImmediately() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            for number in 1...5 {
                try await meeting.submit(#"{"pace": 4}"#).expect(201)
                #expect(try await meeting.results().json?["submissions"] == .number("\(number)"))
                #expect(try await service.host.get(meeting.path).json?["submissions"] == .number("\(number)"))
            }
        }
    }

    @Test func passwordsAreHashedWithArgon2idAndTokensAreRandom() async throws {
        try await TestService.run { service in
            let pool = service.fixture.store.pool
            let hashes = try await pool.query("SELECT password_hash FROM credential").map { row -> String in
                try row.decode(String.self)
            }
            #expect(!hashes.isEmpty && hashes.allSatisfy { $0.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$") })
            var tokens: Set<String> = []
            for _ in 0..<20 {
                tokens.insert(try await TestService.token(of: service.fixture.host, in: service.fixture.store))
            }
            // In Base64, the 32 random bytes are 43 characters, and the 16 bytes of the lineage are 22.
            #expect(tokens.count == 20 && tokens.allSatisfy { $0.count == "aw_".count + 43 + ".".count + 22 })
        }
    }

    @Test func refusedRequestHasNoSideEffects() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let before = try await SafeMethods.checksum(service)
            let refused = [
                try await service.other.delete(meeting.path), try await service.anyone.delete(meeting.path),
                try await service.other.post("\(meeting.path)/form/close"),
                try await service.host.send("PATCH", meeting.path, body: Array(#"{"title": "New"}"#.utf8)),
                try await service.host.put("\(meeting.path)/form", json: "{}", headers: ["If-Match": "\"f0-draft\""]),
                try await meeting.submit(#"{"pace": 9}"#), try await meeting.submit(#"{"nothing": 1}"#),
            ]
            #expect(refused.map(\.status) == [404, 401, 404, 428, 412, 422, 422])
            #expect(refused.allSatisfy { $0.problem != nil })
            #expect(try await SafeMethods.checksum(service) == before)
        }
    }
}
