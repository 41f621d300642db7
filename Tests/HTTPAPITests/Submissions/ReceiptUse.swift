import Contract
import Foundation
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct ReceiptUse {
    private static let key = "0123456789abcdef"

    /// The path of a submission, and the header with its receipt.
    private struct OwnSubmission {
        var path: String
        var proof: [String: String]

        init(_ meeting: TestMeeting, _ response: HTTPTestClient.Response) throws {
            let receipt = try response.expect(201).decoded(as: SubmissionReceipt.self)
            path = "\(meeting.submissionsPath)/\(receipt.id)"
            proof = ["Authorization": "Receipt \(receipt.receipt)"]
        }
    }

    @Test func withdrawalHonorsIfMatch() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let own = try OwnSubmission(meeting, try await meeting.submit(#"{"pace": 4}"#, key: Self.key))
            let tag = try #require(try await service.anyone.get(own.path, headers: own.proof)["ETag"])
            func withdraw(_ tag: String) async throws -> HTTPTestClient.Response {
                try await service.anyone.delete(own.path, headers: own.proof.merging(["If-Match": tag]) { $1 })
            }
            #expect(try await withdraw("\"other\"").problem == "precondition-failed")
            try await service.anyone.get(own.path, headers: own.proof).expect(200)
            try await withdraw(tag).expect(204)
            try await withdraw(tag).expect(204)
        }
    }

    /// A host may move the opening after answers have arrived.
    @Test func withdrawalIsRefusedBeforeAMovedOpening() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let own = try OwnSubmission(meeting, try await meeting.submit(#"{"pace": 4}"#, key: Self.key))
            try await meeting.define(
                "{\"opens\": \"2099-01-01T00:00:00Z\", \"questions\": \(TestStore.questions)}"
            ).expect(200)
            #expect(try await service.anyone.delete(own.path, headers: own.proof).problem == "form-not-open")
        }
    }

    @Test func receiptHolderReadsCorrectsAndWithdraws() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let sent = try await meeting.submit(#"{"pace": 4, "topics": ["demo"], "better": "x"}"#, key: Self.key)
            let own = try OwnSubmission(meeting, sent)
            let stored = try await service.anyone.get(own.path, headers: own.proof).expect(200)
            #expect(stored.json?["answers"]?["topics"] == .array([.string("demo")]))
            #expect(try stored.decoded(as: Submission.self).updatedAt == nil)

            let corrected = try await service.anyone.put(
                own.path, json: #"{"answers": {"pace": 2, "topics": ["talk", {"other": "y"}]}}"#, headers: own.proof)
            #expect(try corrected.expect(200).decoded(as: Submission.self).updatedAt != nil)
            for response in [stored, corrected] {
                #expect(response["Cache-Control"] == "no-store" && response["ETag"] != nil)
            }
            let results = try await meeting.results().decoded(as: Results.self)
            #expect(results.submissions == 1 && results.questions[0].datasets?.first?.data == [0, 1, 0, 0, 0])
            #expect(results.questions[1].datasets?.first?.data == [0, 1, 1] && results.questions[2].answered == 0)
            let invalid = try await service.anyone.put(own.path, json: #"{"answers": {"pace": 7}}"#, headers: own.proof)
            #expect(invalid.status == 422 && invalid.faults == ["/answers/pace out-of-range"])

            #expect(try await service.anyone.delete(own.path, headers: own.proof).status == 204)
            #expect(try await service.anyone.delete(own.path, headers: own.proof).status == 204)
            for status in [
                try await service.anyone.get(own.path, headers: own.proof).status,
                try await service.anyone.put(own.path, json: #"{"answers": {}}"#, headers: own.proof).status,
                try await meeting.submit(#"{"pace": 4, "topics": ["demo"], "better": "x"}"#, key: Self.key).status,
                try await meeting.submit(#"{"pace": 1}"#, key: Self.key).status,
            ] { #expect(status == 410) }
            let after = try await meeting.results().decoded(as: Results.self)
            #expect(after.submissions == 0 && after.questions.allSatisfy { $0.answered == 0 && $0.skipped == 0 })
        }
    }

    @Test func wrongReceiptIsNotFound() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let own = try OwnSubmission(meeting, try await meeting.submit(#"{"pace": 4}"#))
            let foreign = try OwnSubmission(meeting, try await meeting.submit(#"{"pace": 5}"#))
            let elsewhere = try await service.openMeeting()
            let moved = own.path.replacing(meeting.code, with: elsewhere.code)
            let missing = "\(meeting.submissionsPath)/\(UUID().uuidString.lowercased())"
            let wrong = ["Authorization": "Receipt \(String(repeating: "A", count: 22))"]
            for (path, proof) in [
                (own.path, foreign.proof), (own.path, wrong), (moved, own.proof), (missing, own.proof),
            ] {
                #expect(try await service.anyone.get(path, headers: proof).status == 404, "\(path)")
                #expect(try await service.anyone.put(path, json: #"{"answers": {}}"#, headers: proof).status == 404)
                #expect(try await service.anyone.delete(path, headers: proof).status == 404)
            }
            let none = try await service.anyone.get(own.path)
            #expect(none.status == 401 && none["WWW-Authenticate"] == "Receipt")
            #expect(try await service.host.get(own.path).status == 401, "the token of the host is not a receipt")
            #expect(try await service.anyone.get(own.path, headers: own.proof).status == 200)
        }
    }

    @Test func closedFormRefusesCorrectionsAndWithdrawals() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let own = try OwnSubmission(meeting, try await meeting.submit(#"{"pace": 4}"#))
            try await meeting.perform("close").expect(200)
            let edit = try await service.anyone.put(own.path, json: #"{"answers": {"pace": 1}}"#, headers: own.proof)
            #expect(edit.status == 409 && edit.problem == "form-closed")
            #expect(try await service.anyone.delete(own.path, headers: own.proof).problem == "form-closed")
            #expect(try await service.anyone.get(own.path, headers: own.proof).status == 200)
        }
    }

    @Test func correctionHonorsIfMatch() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let own = try OwnSubmission(meeting, try await meeting.submit(#"{"pace": 4}"#))
            let tag = try #require(try await service.anyone.get(own.path, headers: own.proof)["ETag"])
            let proof = own.proof.merging(["If-Match": tag]) { $1 }
            #expect(
                try await service.anyone.put(own.path, json: #"{"answers": {"pace": 3}}"#, headers: proof).status == 200
            )
            #expect(try await service.anyone.put(own.path, json: "nonsense", headers: proof).status == 412)
        }
    }
}
