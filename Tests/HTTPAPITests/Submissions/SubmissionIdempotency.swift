import Contract
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct SubmissionIdempotency {
    private static let key = "0123456789abcdef"

    @Test func concurrentRequestsWithOneKeyAreOneSubmission() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let responses = try await withThrowingTaskGroup(of: HTTPTestClient.Response.self) { group in
                for _ in 0..<100 { group.addTask { try await meeting.submit(#"{"pace": 4}"#, key: Self.key) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(responses.allSatisfy { $0.status == 201 })
            #expect(Set(responses.map(\.body)).count == 1, "all requests get the same receipt")
            #expect(responses.count { $0["Idempotency-Replayed"] == nil } == 1)
            let results = try await meeting.results().decoded(as: Results.self)
            #expect(results.submissions == 1 && results.questions[0].answered == 1)
        }
    }

    @Test func sameKeyWithAnotherBodyIsAConflict() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let first = try await meeting.submit(#"{"pace": 4}"#, key: Self.key).expect(201)
            for answers in [#"{"pace": 5}"#, #"{"pace":4}"#, #"{"pace": 9}"#] {
                let other = try await meeting.submit(answers, key: Self.key)
                #expect(other.status == 409 && other.problem == "idempotency-conflict", "\(answers)")
            }
            let second = try await service.openMeeting()
            let elsewhere = try await second.submit(#"{"pace": 4}"#, key: Self.key).expect(201)
            #expect(try elsewhere.string("id") != first.string("id"), "ids of two forms are unrelated")
        }
    }

    @Test func replayIsAnsweredAfterTheClose() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let first = try await meeting.submit(#"{"pace": 4}"#, key: Self.key).expect(201)
            try await meeting.perform("close").expect(200)
            let again = try await meeting.submit(#"{"pace": 4}"#, key: Self.key)
            #expect(again.status == 201 && again.body == first.body && again["Idempotency-Replayed"] == "true")
            #expect(try await meeting.submit(#"{"pace": 4}"#, key: Self.key + "g").problem == "form-closed")
        }
    }

    @Test(arguments: ["short", "0123456789abcde", "0123456789 abcdef", String(repeating: "k", count: 256)])
    func invalidKeyIsRefused(key: String) async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let response = try await meeting.submit(#"{"pace": 4}"#, key: key)
            #expect(response.status == 400 && response.problem == "bad-request")
        }
    }

    @Test func withoutAKeyEveryRequestIsASubmission() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            var ids: Set<String> = []
            for _ in 0..<3 { ids.insert(try await meeting.submit(#"{"pace": 4}"#).expect(201).string("id")) }
            #expect(ids.count == 3)
        }
    }
}
