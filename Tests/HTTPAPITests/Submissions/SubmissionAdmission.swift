import Contract
import Foundation
import TestSupport
import Testing

/// The checks of a submission, in order: whether the form exists, the credentials, the idempotency key, the body.
@Suite(.timeLimit(.minutes(15))) struct SubmissionAdmission {
    /// Bodies and headers that are refused even if the form exists and the credentials are valid.
    private static let invalidRequests: [(body: [UInt8], headers: [String: String])] = [
        (Array("nonsense".utf8), [:]), ([], [:]), (Array("x".utf8), ["Content-Type": "text/plain"]),
        (Array(repeating: 0x20, count: 256 * 1024 + 1), [:]), (Array("{}".utf8), ["Idempotency-Key": "short"]),
    ]

    @Test func unknownCodeIsNotFoundWhateverTheBody() async throws {
        try await TestService.run { service in
            let trashed = try await service.openMeeting()
            try await trashed.submit(#"{"pace": 4}"#).expect(201)
            try await service.host.delete(trashed.path).expect(204)
            for path in ["/v1/forms/zzzzzzzzzzzzz/submissions", trashed.submissionsPath] {
                for (body, headers) in Self.invalidRequests {
                    let response = try await service.anyone.send("POST", path, body: body, headers: headers)
                    #expect(response.status == 404 && response.problem == "not-found", "\(path) \(headers)")
                }
            }
        }
    }

    @Test func deviceFormsRefuseRequestsWithoutADeviceKey() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""identity": "device""#)
            for respondent in [nil, "short", String(repeating: "ä", count: 40), String(repeating: "k", count: 129)] {
                for (body, headers) in Self.invalidRequests {
                    var headers = headers
                    headers["Authorization"] = respondent.map { "Respondent \($0)" }
                    let response = try await service.anyone.send(
                        "POST", meeting.submissionsPath, body: body, headers: headers)
                    #expect(response.status == 401, "\(respondent ?? "nobody") \(headers): \(response.text)")
                }
            }
            let known = ["Authorization": "Respondent \(String(repeating: "k", count: 32))"]
            let statuses = [400, 400, 415, 413, 400]
            for ((body, headers), status) in zip(Self.invalidRequests, statuses) {
                let response = try await service.anyone.send(
                    "POST", meeting.submissionsPath, body: body, headers: headers.merging(known) { $1 })
                #expect(response.status == status, "\(response.text)")
            }
        }
    }

    @Test func idempotencyKeyIsCheckedBeforeTheMediaType() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let response = try await service.anyone.send(
                "POST", meeting.submissionsPath, body: Array("x".utf8),
                headers: ["Content-Type": "text/plain", "Idempotency-Key": "short"])
            #expect(response.status == 400)
        }
    }

    @Test func unknownReceiptIsNotFoundWhateverTheBody() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let own = try await meeting.submit(#"{"pace": 4}"#).expect(201).decoded(as: SubmissionReceipt.self)
            let wrong = "Receipt \(String(repeating: "A", count: 22))"
            for (code, proof) in [("zzzzzzzzzzzzz", "Receipt \(own.receipt)"), (meeting.code, wrong)] {
                let path = "/v1/forms/\(code)/submissions/\(own.id)"
                for (body, headers) in Self.invalidRequests {
                    let headers = headers.merging(["Authorization": proof]) { $1 }
                    let response = try await service.anyone.send("PUT", path, body: body, headers: headers)
                    #expect(response.status == 404 && response.problem == "not-found", "\(path) \(headers)")
                }
                #expect(try await service.anyone.get(path, headers: ["Authorization": proof]).status == 404)
                #expect(try await service.anyone.delete(path, headers: ["Authorization": proof]).status == 404)
            }
        }
    }
}
