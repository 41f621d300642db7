import Foundation
import StrictJSON
import TestSupport
import Testing

/// A full hall behind one network address, with one client that guesses codes.
@Suite(.timeLimit(.minutes(15))) struct CrowdedHall {
    @Test func fiveHundredPeopleAnswerDespiteAThousandGuesses() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""identity": "device""#)
            try await service.move(meeting, from: -1, to: 60)
            let checkInPath = try await meeting.checkInPath()
            let start = ContinuousClock.now
            // The keys are `c` for check-ins, `s` for submissions and `g` for guesses, each followed by the status.
            let outcome = try await withThrowingTaskGroup(of: (Character, Int).self) { group in
                for number in 0..<500 {
                    group.addTask {
                        (
                            "c",
                            try await service.anyone.checkIn(checkInPath, "Guest", "guest\(number)@example.org").status
                        )
                    }
                    group.addTask {
                        let device = "device-\(number)-" + String(repeating: "k", count: 32)
                        return ("s", try await meeting.submit(#"{"pace": 4}"#, respondent: device).status)
                    }
                    let wrong = String("zzzzzzzzzz\(1000 + number)".suffix(13))
                    group.addTask {
                        ("g", try await service.anyone.checkIn("/v1/check-ins/\(wrong)", "A", "a@b.c").status)
                    }
                    group.addTask { ("g", try await service.anyone.get("/v1/people/\(wrong)").status) }
                }
                return try await group.reduce(into: [:]) { $0["\($1.0)\($1.1)", default: 0] += 1 }
            }
            #expect(ContinuousClock.now - start < .seconds(60))
            #expect(outcome["c201"] == 500 && outcome["s201"] == 500)
            #expect(outcome["g404"] == 100 && outcome["g429"] == 900)
            #expect(outcome.count == 4)
            // Holders of a valid code are admitted even past the limit.
            try await service.anyone.checkIn(checkInPath, "Last", "last@example.org").expect(201)
            let counts = try await service.host.get(meeting.path).expect(200)
            #expect(counts.json?["attended"]?.integer == .exact(501))
            #expect(counts.json?["submissions"]?.integer == .exact(500))
        }
    }

    /// The join code of a form that is not open yet is valid, and so is a form's code with an invalid receipt.
    @Test func validCodesThatGet404AreNotCountedAsGuesses() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            let joinCode = try await meeting.form().string("joinCode")
            let receipt = ["Authorization": "Receipt " + String(repeating: "A", count: 64)]
            let submissionPath = "\(meeting.submissionsPath)/\(UUID().uuidString.lowercased())"
            for _ in 0..<120 {
                #expect(try await service.anyone.get("/v1/forms/\(joinCode)").status == 404)
                #expect(try await service.anyone.get(submissionPath, headers: receipt).status == 404)
            }
            try await meeting.perform("publish").expect(200)
            try await service.anyone.get("/v1/forms/\(joinCode)").expect(200)
        }
    }

    /// The response to an invalid code is the same whether the code resembles a valid one, is of another kind, or
    /// belongs to a meeting in the trash.
    @Test func guessesRevealNothing() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let checkInPath = try await meeting.checkInPath()
            let code = try await meeting.add("Ann", "ann@example.org").expect(201).string("code")
            try await service.host.delete(meeting.path).expect(204)
            let near = String(code.dropLast()) + (code.hasSuffix("0") ? "1" : "0")
            for path in [checkInPath, "/v1/check-ins/\(code)", "/v1/people/\(near)", "/v1/people/\(meeting.code)"] {
                let response = try await service.anyone.get(path)
                #expect(response.status == 404)
                #expect(
                    response.json?.members?.map(\.name) == ["type", "title", "status", "detail", "instance"]
                        && response.json?["detail"]?.string == "Not found.")
            }
        }
    }
}
