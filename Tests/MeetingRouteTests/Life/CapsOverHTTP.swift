import StrictJSON
import TestSupport
import Testing

/// Tests what counts towards a cap, and the effect of a change of the cap.
@Suite(.timeLimit(.minutes(15))) struct CapsOverHTTP {
    private static func device(_ number: Int) -> String { "device-\(number)-" + String(repeating: "k", count: 32) }

    @Test func withdrawalFreesAPlaceButNotForItsRespondent() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""identity": "device", "cap": 2"#)
            let first = try await meeting.submit(#"{"pace": 4}"#, respondent: Self.device(1)).expect(201)
            try await meeting.submit(#"{"pace": 4}"#, respondent: Self.device(2)).expect(201)
            let third = try await meeting.submit(#"{"pace": 4}"#, respondent: Self.device(3))
            #expect(third.status == 409 && third.problem == "form-full")
            let proof = try ["Authorization": "Receipt \(first.string("receipt"))"]
            let submissionPath = "\(meeting.submissionsPath)/\(try first.string("id"))"
            try await service.anyone.delete(submissionPath, headers: proof).expect(204)
            let again = try await meeting.submit(#"{"pace": 4}"#, respondent: Self.device(1))
            #expect(again.status == 410 && again.problem == "withdrawn", "\(again.text)")
            try await meeting.submit(#"{"pace": 4}"#, respondent: Self.device(3)).expect(201)
            #expect(try await meeting.submit(#"{"pace": 4}"#, respondent: Self.device(4)).problem == "form-full")
            #expect(try await meeting.results().json?["submissions"]?.int == 2)
        }
    }

    @Test func capBelowTheCountKeepsStoredSubmissionsAndRefusesNewOnes() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""identity": "device", "cap": 5"#)
            var receipts: [HTTPTestClient.Response] = []
            for number in 0..<4 {
                receipts.append(
                    try await meeting.submit(#"{"pace": 4}"#, respondent: Self.device(number)).expect(201))
            }
            func setCap(_ cap: String) async throws {
                try await meeting.define(
                    "{\"identity\": \"device\", \"cap\": \(cap), \"questions\": \(TestStore.questions)}"
                ).expect(200)
            }
            try await setCap("2")
            #expect(try await meeting.submit(#"{"pace": 4}"#, respondent: Self.device(9)).problem == "form-full")
            // Existing respondents may still correct and withdraw. Below the cap, new ones are accepted again.
            for (number, receipt) in receipts.enumerated() {
                let submissionPath = "\(meeting.submissionsPath)/\(try receipt.string("id"))"
                let proof = try ["Authorization": "Receipt \(receipt.string("receipt"))"]
                try await service.anyone.put(submissionPath, json: #"{"answers": {"pace": 2}}"#, headers: proof).expect(
                    200)
                let results = try await meeting.results().expect(200)
                #expect(results.json?["submissions"]?.int == 4 - number)
                try await service.anyone.delete(submissionPath, headers: proof).expect(204)
                let next = try await meeting.submit(#"{"pace": 4}"#, respondent: Self.device(10 + number))
                #expect(next.status == (number < 2 ? 409 : 201), "\(number): \(next.text)")
                if number == 2 { break }
            }
            try await setCap("null")
            try await meeting.submit(#"{"pace": 4}"#, respondent: Self.device(20)).expect(201)
        }
    }
}
