import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

/// If a participant had the form open during an edit, their answers are validated against the version they saw.
@Suite(.timeLimit(.minutes(15))) struct OlderVersions {
    private static let old =
        #"[{"key": "gone", "kind": "text", "title": "T"}, {"key": "kept", "kind": "text", "title": "T"}]"#
    private static let new = """
        [{"key": "kept", "kind": "text", "title": "T", "required": true},
         {"key": "added", "kind": "rating", "title": "T", "required": true}]
        """

    @Test func questionAddedAsRequiredIsOptionalForOlderVersions() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.old)
            try await meeting.define("{\"questions\": \(Self.new)}").expect(200)
            try await meeting.send(#"{"version": 1, "answers": {"gone": "x"}}"#).expect(201)
            for body in [#"{"version": 2, "answers": {"gone": "x"}}"#, #"{"answers": {"gone": "x"}}"#] {
                let response = try await meeting.send(body)
                #expect(response.status == 422)
                #expect(
                    Set(response.faults) == [
                        "/answers/gone unknown-question", "/answers/kept required", "/answers/added required",
                    ])
            }
            let mixed = try await meeting.send(#"{"version": 1, "answers": {"gone": "x", "added": 4}}"#)
            #expect(mixed.faults == ["/answers/added unknown-question"])
            let results = try await meeting.results().expect(200)
            let answered = results.json?["questions"]?.array?.map { question in
                "\(question["key"]?.string ?? "") \(question["answered"]?.int ?? -1) \(question["skipped"]?.int ?? -1)"
            }
            #expect(
                answered == ["kept 0 1", "added 0 0", "gone 1 0"],
                "a question that was added later does not count as skipped")
        }
    }

    @Test func correctionMayNameItsOldVersion() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.old)
            let sent = try await meeting.send(#"{"version": 1, "answers": {"gone": "x"}}"#).expect(201)
            try await meeting.define("{\"questions\": \(Self.new)}").expect(200)
            let submissionPath = "\(meeting.submissionsPath)/\(try sent.string("id"))"
            let proof = try ["Authorization": "Receipt \(sent.string("receipt"))"]
            let corrected = try await service.anyone.put(
                submissionPath, json: #"{"version": 1, "answers": {"gone": "y", "kept": "z"}}"#, headers: proof
            ).expect(200)
            #expect(corrected.json?["version"]?.int == 1)
            let unnamed = try await service.anyone.put(
                submissionPath, json: #"{"answers": {"gone": "y"}}"#, headers: proof)
            #expect(unnamed.status == 422)
        }
    }

    private static let outdatedFaults = ["/version outdated-version"]

    /// The anonymous version promised that nobody would know the authors.
    @Test func answersToAnAnonymousVersionAreRefusedOnceTheFormIsNotAnonymous() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.old, settings: #""anonymous": true"#)
            try await meeting.define(#"{"anonymous": false, "minimumGroup": 1, "questions": \#(Self.old)}"#).expect(200)
            for _ in 0..<2 {
                let response = try await meeting.send(
                    #"{"version": 1, "answers": {"gone": "in confidence"}}"#, key: "one-and-the-same-key")
                #expect(response.status == 422 && response.faults == Self.outdatedFaults, "\(response.text)")
            }
            let sent = try await meeting.send(#"{"version": 2, "answers": {"gone": "openly"}}"#).expect(201)
            let submissionPath = "\(meeting.submissionsPath)/\(try sent.string("id"))"
            let corrected = try await service.anyone.put(
                submissionPath, json: #"{"version": 1, "answers": {"gone": "in confidence"}}"#,
                headers: ["Authorization": "Receipt \(sent.string("receipt"))"])
            #expect(corrected.faults == Self.outdatedFaults)
            let stored = try await meeting.host.get("\(meeting.path)/export/submissions.csv").expect(200)
            #expect(stored.text.contains("openly") && !stored.text.contains("in confidence"))
        }
    }

    @Test func formThatBecomesAnonymousAcceptsAnswersToOlderVersions() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.old)
            try await meeting.define(#"{"anonymous": true, "questions": \#(Self.old)}"#).expect(200)
            try await meeting.send(#"{"version": 1, "answers": {"gone": "x"}}"#).expect(201)
        }
    }

    private static func pick(multiple: Bool) -> String {
        #"""
        [{"key": "pick", "kind": "choice", "title": "P", "multiple": \#(multiple), "other": true,
          "options": [{"id": "a", "label": "A"}, {"id": "b", "label": "B"}]}]
        """#
    }

    private static func count(of condition: String, _ meeting: TestMeeting) async throws -> Int? {
        try await meeting.host.get("\(meeting.path)/results?where=\(condition)").expect(200).json?["submissions"]?.int
    }

    @Test func multipleOptionsAreRefusedOnceTheChoiceIsSingle() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.pick(multiple: true))
            // A version in between does not have the question.
            try await meeting.define("{\"questions\": \(Self.old)}").expect(200)
            try await meeting.define("{\"questions\": \(Self.pick(multiple: false))}").expect(200)
            let late = try await meeting.send(
                #"{"version": 1, "answers": {"pick": ["a", "b", {"other": "c"}]}}"#)
            #expect(late.status == 422 && late.faults == Self.outdatedFaults)
            try await meeting.send(#"{"version": 3, "answers": {"pick": "a"}}"#).expect(201)
            #expect(try await Self.count(of: "pick:a", meeting) == 1)
        }
    }

    @Test func singleOptionIsAcceptedOnceTheChoiceIsMultiple() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.pick(multiple: false))
            try await meeting.define("{\"questions\": \(Self.pick(multiple: true))}").expect(200)
            try await meeting.send(#"{"version": 1, "answers": {"pick": {"other": "c"}}}"#).expect(201)
            try await meeting.send(#"{"version": 1, "answers": {"pick": "a"}}"#).expect(201)
            try await meeting.send(#"{"version": 2, "answers": {"pick": ["a", {"other": "d"}]}}"#).expect(201)
            #expect(try await Self.count(of: "pick:a", meeting) == 2)
            #expect(try await Self.count(of: "pick:other", meeting) == 2)
            #expect(try await Self.count(of: "pick:b", meeting) == 0)
        }
    }

    /// Simulates an edit that is committed after an answer was validated and before the answer is committed.
    @Test func answerInFlightIsCheckedAgainAfterTheEdit() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.old, settings: #""anonymous": true"#)
            let form = try #require(UUID(uuidString: try await meeting.results().string("formId")))
            let outcome = try await service.fixture.store.pool.transaction { connection in
                try await connection.query("UPDATE form_version SET outdated = true WHERE form_id = \(form)")
                let rows = try await connection.query(
                    """
                    SELECT outcomes FROM ingest(\(form), ARRAY['00000000-0000-0000-0000-000000000001',
                        '00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000002']::uuid[],
                        ARRAY[1, 1, 1], ARRAY['{}', '{}', '{}'], ARRAY[NULL, NULL, NULL]::uuid[],
                        ARRAY['\\x00', '\\x00', '\\x01']::bytea[], ARRAY['\\x00', '\\x00', '\\x01']::bytea[],
                        '{}', '{}', '{}', '{}', false, NULL)
                    """)
                return try #require(rows.first).decode([String].self)
            }
            #expect(outcome == ["outdated", "outdated", "outdated"])
        }
    }
}
