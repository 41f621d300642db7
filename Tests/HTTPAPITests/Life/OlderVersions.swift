import StrictJSON
import TestSupport
import Testing

/// Whoever had the form open while it was edited is judged by the version that they saw.
@Suite(.timeLimit(.minutes(15))) struct OlderVersions {
    private static let old =
        #"[{"key": "gone", "kind": "text", "title": "T"}, {"key": "kept", "kind": "text", "title": "T"}]"#
    private static let new = """
        [{"key": "kept", "kind": "text", "title": "T", "required": true},
         {"key": "added", "kind": "rating", "title": "T", "required": true}]
        """

    @Test func aQuestionThatBecameRequiredLaterIsNotMissed() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.old)
            try await meeting.define("{\"questions\": \(Self.new)}").expect(200)
            try await meeting.send(#"{"version": 1, "answers": {"gone": "x"}}"#).expect(201)
            for body in [#"{"version": 2, "answers": {"gone": "x"}}"#, #"{"answers": {"gone": "x"}}"#] {
                let answer = try await meeting.send(body)
                #expect(answer.status == 422)
                #expect(
                    Set(answer.faults) == [
                        "/answers/gone unknown-question", "/answers/kept required", "/answers/added required",
                    ])
            }
            let mixed = try await meeting.send(#"{"version": 1, "answers": {"gone": "x", "added": 4}}"#)
            #expect(mixed.faults == ["/answers/added unknown-question"])
            let results = try await meeting.results().expect(200)
            let answered = results.json?["questions"]?.array?.map { question in
                "\(question["key"]?.string ?? "") \(question["answered"]?.int ?? -1) \(question["skipped"]?.int ?? -1)"
            }
            #expect(answered == ["kept 0 1", "added 0 0", "gone 1 0"], "it was not asked what was added later")
        }
    }

    @Test func aCorrectionMayNameItsOldVersionToo() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.old)
            let sent = try await meeting.send(#"{"version": 1, "answers": {"gone": "x"}}"#).expect(201)
            try await meeting.define("{\"questions\": \(Self.new)}").expect(200)
            let own = "\(meeting.submissionsPath)/\(try sent.string("id"))"
            let proof = try ["Authorization": "Receipt \(sent.string("receipt"))"]
            let corrected = try await service.anyone.put(
                own, json: #"{"version": 1, "answers": {"gone": "y", "kept": "z"}}"#, headers: proof
            ).expect(200)
            #expect(corrected.json?["version"]?.int == 1)
            let unnamed = try await service.anyone.put(own, json: #"{"answers": {"gone": "y"}}"#, headers: proof)
            #expect(unnamed.status == 422)
        }
    }
}
