import Contract
import StrictJSON
import TestSupport
import Testing

/// Invalid submissions are refused with all their faults, and nothing is stored.
@Suite(.timeLimit(.minutes(15))) struct SubmissionRefusals {
    private static let questions = """
        [{"key": "pace", "kind": "rating", "title": "T", "required": true},
         {"key": "one", "kind": "choice", "title": "T", "options": [{"id": "a", "label": "A"}, {"id": "b", "label": "B"}]},
         {"key": "two", "kind": "choice", "title": "T", "multiple": true, "maxSelections": 2, "minSelections": 1,
          "options": [{"id": "a", "label": "A"}, {"id": "b", "label": "B"}, {"id": "c", "label": "C"}], "other": true},
         {"key": "text", "kind": "text", "title": "T", "maxLength": 200}]
        """
    /// 200 user-perceived characters: a hundred pairs of a character of two scalars and one of many.
    private static let hundredPairs = String(repeating: "e\u{301}👩‍👩‍👧‍👦", count: 100)

    /// One user-perceived character of 8,001 bytes.
    private static let hugeCharacter = "e" + String(repeating: "\u{301}\u{200D}", count: 1_600)

    private static let invalidAnswers: [(String, [String])] = [
        (#"{}"#, ["/answers/pace required"]),
        (#"{"pace": null}"#, ["/answers/pace required"]),
        (#"{"pace": 0}"#, ["/answers/pace out-of-range"]),
        (#"{"pace": 6}"#, ["/answers/pace out-of-range"]),
        (#"{"pace": -0.0}"#, ["/answers/pace out-of-range"]),
        (#"{"pace": 3.5}"#, ["/answers/pace not-an-integer"]),
        (#"{"pace": "3"}"#, ["/answers/pace wrong-type"]),
        (#"{"pace": true}"#, ["/answers/pace wrong-type"]),
        (#"{"pace": [3]}"#, ["/answers/pace wrong-type"]),
        (#"{"pace": 1e400}"#, ["/answers/pace out-of-range"]),
        (#"{"pace": 1e-400}"#, ["/answers/pace not-an-integer"]),
        (#"{"pace": 3, "speed": 4}"#, ["/answers/speed unknown-question"]),
        (#"{"pace": 3, "a/b~": 4}"#, ["/answers/a~1b~0 unknown-question"]),
        (#"{"pace": 3, "one": "z"}"#, ["/answers/one unknown-option"]),
        (#"{"pace": 3, "one": ["a"]}"#, ["/answers/one wrong-type"]),
        (#"{"pace": 3, "one": {"other": "x"}}"#, ["/answers/one unknown-option"]),
        (#"{"pace": 3, "one": 1}"#, ["/answers/one wrong-type"]),
        (#"{"pace": 3, "two": ["a", "b", "c"]}"#, ["/answers/two too-many-selections"]),
        (#"{"pace": 3, "two": ["a", "b", {"other": "x"}]}"#, ["/answers/two too-many-selections"]),
        (#"{"pace": 3, "two": ["a", "a"]}"#, ["/answers/two duplicate-choice"]),
        (#"{"pace": 3, "two": "a"}"#, ["/answers/two wrong-type"]),
        (#"{"pace": 3, "two": ["a", {"other": "  "}]}"#, ["/answers/two required"]),
        (#"{"pace": 3, "two": [{"other": "x", "more": 1}]}"#, ["/answers/two wrong-type"]),
        (#"{"pace": 3, "text": 5}"#, ["/answers/text wrong-type"]),
        (#"{"pace": 3, "text": "a\u0000b"}"#, ["/answers/text nul-character"]),
        ("{\"pace\": 3, \"text\": \"\(hundredPairs)x\"}", ["/answers/text too-long"]),
        ("{\"pace\": 3, \"text\": \"\(hugeCharacter)\"}", ["/answers/text too-long"]),
        (
            #"{"speed": 1, "pace": 9, "one": "z", "text": 1}"#,
            [
                "/answers/speed unknown-question", "/answers/pace out-of-range", "/answers/one unknown-option",
                "/answers/text wrong-type",
            ]
        ),
    ]

    private static let malformedBodies: [(name: String, body: [UInt8])] = [
        ("an unknown field", Array(#"{"answers": {"pace": 3}, "extra": 1}"#.utf8)),
        ("an unknown field and a value out of range", Array(#"{"answers": {"pace": 9}, "extra": 1}"#.utf8)),
        ("a version that is not a number", Array(#"{"version": "1", "answers": {"pace": 3}}"#.utf8)),
        ("a list of answers", Array(#"{"answers": []}"#.utf8)),
        ("a text for answers", Array(#"{"answers": "x"}"#.utf8)),
        ("a duplicate key", Array(#"{"answers": {"pace": 3, "pace": 4}}"#.utf8)),
        ("a duplicate key in disguise", Array(#"{"answers": {"pace": 3, "p\u0061ce": 4}}"#.utf8)),
        ("a duplicate field", Array(#"{"answers": {"pace": 3}, "answers": {"pace": 4}}"#.utf8)),
        ("a lone surrogate", Array(#"{"answers": {"pace": 3, "text": "\ud83d"}}"#.utf8)),
        ("a swapped pair", Array(#"{"answers": {"pace": 3, "text": "\udc00\ud800"}}"#.utf8)),
        ("broken UTF-8", Array(#"{"answers": {"pace": 3, "text": ""#.utf8) + [0xC3, 0x28] + Array(#""}}"#.utf8)),
        ("an encoded surrogate", Array(#"{"answers": {"text": ""#.utf8) + [0xED, 0xA0, 0x80] + Array(#""}}"#.utf8)),
        ("a trailing comma", Array(#"{"answers": {"pace": 3},}"#.utf8)),
        ("two documents", Array(#"{"answers": {"pace": 3}} {}"#.utf8)),
        ("31 combining marks", Array(#"{"answers": {"text": "e\#(String(repeating: "\u{301}", count: 31))"}}"#.utf8)),
        ("a raw control", Array("{\"answers\": {\"pace\": 3, \"text\": \"a\u{1}b\"}}".utf8)),
        ("a leading zero", Array(#"{"answers": {"pace": 03}}"#.utf8)),
        ("NaN", Array(#"{"answers": {"pace": NaN}}"#.utf8)),
        ("a byte order mark", [0xEF, 0xBB, 0xBF] + Array(#"{"answers": {"pace": 3}}"#.utf8)),
        ("deep nesting", Array((String(repeating: "[", count: 50_000)).utf8)),
        ("a truncated body", Array(#"{"answers": {"pace": 3"#.utf8)),
        ("a number", Array("5".utf8)),
        ("an empty body", []),
    ]

    @Test func allFaultsOfTheAnswersAreReportedTogether() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.questions)
            for (answers, faults) in Self.invalidAnswers {
                let response = try await meeting.submit(answers)
                #expect(
                    response.status == 422 && response.problem == "validation-failed", "\(answers): \(response.text)")
                #expect(response.faults == faults, "\(answers)")
            }
            let missing = try await meeting.send("{}")
            #expect(missing.status == 422 && missing.faults == ["/answers required"])
            let counts = try await meeting.results().decoded(as: Results.self)
            #expect(counts.submissions == 0 && counts.questions.allSatisfy { $0.answered + $0.skipped == 0 })
        }
    }

    @Test func malformedBodiesAreABadRequest() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.questions)
            for (name, body) in Self.malformedBodies {
                let response = try await service.anyone.send("POST", meeting.submissionsPath, body: body)
                #expect(response.status == 400 && response.problem == "bad-request", "\(name): \(response.status)")
            }
            #expect(try await meeting.results().decoded(as: Results.self).submissions == 0)
        }
    }

    @Test func valuesAtTheLimitsAreAccepted() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.questions)
            let longest = "{\"pace\": 1, \"text\": \"\(Self.hundredPairs)\"}"
            for answers in [
                longest, #"{"pace": 5, "two": ["a", {"other": "x"}]}"#, #"{"pace": 3.0, "one": null, "two": []}"#,
                #"{"pace": 30e-1, "text": " \t "}"#,
            ] {
                let receipt = try await meeting.submit(answers).expect(201).decoded(as: SubmissionReceipt.self)
                let own = try await service.anyone.get(
                    "\(meeting.submissionsPath)/\(receipt.id)", headers: ["Authorization": "Receipt \(receipt.receipt)"]
                )
                if answers == longest { #expect(own.json?["answers"]?["text"] == .string(Self.hundredPairs)) }
            }
            let results = try await meeting.results().decoded(as: Results.self)
            #expect(results.questions[0].datasets?.first?.data == [1, 0, 2, 0, 1])
            #expect(results.questions[3].answered == 1 && results.questions[3].skipped == 3)
        }
    }

    @Test func bodyIsLimitedTo256KiB() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.questions)
            let body = Array(#"{"answers": {"pace": 3}}"#.utf8)
            let padded = body + Array(repeating: UInt8(ascii: " "), count: 256 * 1024 - body.count)
            #expect(try await service.anyone.send("POST", meeting.submissionsPath, body: padded).status == 201)
            let tooLong = try await service.anyone.send("POST", meeting.submissionsPath, body: padded + [0x20])
            #expect(tooLong.status == 413 && tooLong.problem == "content-too-large")
        }
    }

    @Test func onlyJSONIsAccepted() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.questions)
            let body = Array(#"{"answers": {"pace": 3}}"#.utf8)
            for type in ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=utf-16", ""] {
                let response = try await service.anyone.send(
                    "POST", meeting.submissionsPath, body: body, headers: ["Content-Type": type])
                #expect(response.status == 415 && response.problem == "unsupported-media-type", "\(type)")
            }
            let compressed = try await service.anyone.send(
                "POST", meeting.submissionsPath, body: body, headers: ["Content-Encoding": "gzip"])
            #expect(compressed.status == 415)
            let accepted = try await service.anyone.send(
                "POST", meeting.submissionsPath, body: body,
                headers: ["Content-Type": "application/json; charset=UTF-8"])
            #expect(accepted.status == 201)
        }
    }

    @Test func deviceFormRefusesSubmissionsWithoutADeviceKey() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.questions, settings: #""identity": "device""#)
            let missing = try await meeting.submit(#"{"pace": 3}"#)
            #expect(missing.status == 401 && missing.problem == "respondent-required")
            #expect(missing["WWW-Authenticate"] == "Respondent")
            for key in [String(repeating: "k", count: 31), String(repeating: "k", count: 129)] {
                #expect(try await meeting.submit(#"{"pace": 3}"#, respondent: key).problem == "respondent-required")
            }
            let device = String(repeating: "k", count: 32)
            #expect(try await meeting.submit(#"{"pace": 3}"#, respondent: device).status == 201)
            let second = try await meeting.submit(#"{"pace": 4}"#, respondent: device)
            #expect(second.status == 409 && second.problem == "already-submitted")
            let bearer = try await service.host.post(meeting.submissionsPath, json: #"{"answers": {"pace": 3}}"#)
            #expect(bearer.status == 401)
        }
    }
}
