import Contract
import Foundation
import Postgres
import StrictJSON
import TestSupport
import Testing

/// The access that `showResults` gives to participants.
@Suite(.timeLimit(.minutes(15))) struct VisibilityOfResults {
    /// The receipts that a participant might send.
    private struct Receipts {
        var own: String
        var withdrawn: String
        var foreign: String
        var forged: String
        var unknown: String

        var all: [String?] { [nil, own, withdrawn, foreign, forged, unknown] }

        static func make(_ meeting: TestMeeting, _ service: TestService) async throws -> Receipts {
            let own = try await meeting.receipt()
            let withdrawn = try await meeting.receipt()
            let proof = ["Authorization": "Receipt \(withdrawn.receipt)"]
            let path = "\(meeting.submissionsPath)/\(withdrawn.id)"
            _ = try await meeting.anyone.delete(path, headers: proof).expect(204)
            let foreign = try await service.openMeeting().receipt().receipt
            let last = own.receipt.last == "A" ? "B" : "A"
            return Receipts(
                own: own.receipt, withdrawn: withdrawn.receipt, foreign: foreign,
                forged: String(own.receipt.dropLast(2)) + last + last, unknown: String(repeating: "A", count: 22))
        }
    }

    /// The statuses without a receipt, and with the receipts `own`, `withdrawn`, `foreign`, `forged` and `unknown`.
    private static let table: [(show: String, state: String, statuses: [Int])] = [
        ("never", "open", [403, 403, 403, 403, 403, 403]), ("never", "closed", [403, 403, 403, 403, 403, 403]),
        ("afterSubmission", "open", [403, 200, 410, 404, 404, 404]),
        ("afterSubmission", "closed", [403, 200, 410, 404, 404, 404]),
        ("afterClose", "open", [403, 403, 403, 403, 403, 403]),
        ("afterClose", "closed", [200, 200, 200, 200, 200, 200]),
        ("always", "open", [200, 200, 200, 200, 200, 200]), ("always", "closed", [200, 200, 200, 200, 200, 200]),
    ]

    @Test(arguments: ["", #", "anonymous": true"#])
    func showResultsDecidesAccessAndAppliesAtOnce(settings: String) async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""showResults": "never""# + settings)
            let receipts = try await Receipts.make(meeting, service)
            for state in ["open", "closed"] {
                if state == "closed" { try await meeting.perform("close").expect(200) }
                for row in Self.table where row.state == state {
                    try await meeting.show(row.show, settings: settings)
                    let expected = try await meeting.results().expect(200)
                    for (receipt, status) in zip(receipts.all, row.statuses) {
                        let response = try await meeting.participant(receipt: receipt)
                        #expect(
                            response.status == status, "\(row.show) \(state) \(receipt ?? "none"): \(response.text)")
                        let page = try await meeting.participant("/results/better/answers", receipt: receipt)
                        #expect(
                            page.status == (status == 200 ? 403 : status),
                            "texts are not shown unless they are released")
                        if status == 403 { #expect(response.problem == "results-not-shown") }
                        if status == 410 { #expect(response.problem == "withdrawn") }
                        if status == 200 {
                            #expect(response.body == expected.body && response["ETag"] == expected["ETag"])
                        }
                    }
                }
            }
        }
    }

    @Test func draftShowsNothingAndTrashedFormIsNotFound() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            try await meeting.show("always")
            let draft = try await meeting.participant()
            #expect(draft.status == 403 && draft.problem == "results-not-shown")
            try await meeting.perform("publish").expect(200)
            try await meeting.participant().expect(200)
            _ = try await meeting.host.delete(meeting.path).expect(204)
            #expect(try await meeting.participant().status == 404)
            #expect(try await meeting.participant("/results/better/answers").status == 404)
            #expect(try await service.anyone.get("/v1/forms/0000000000000/results").status == 404)
        }
    }

    @Test func scheduledFormShowsResults() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            let opens = #", "opens": "2999-01-01T00:00:00Z""#
            try await meeting.show("always", settings: opens)
            try await meeting.perform("publish").expect(200)
            try await meeting.participant().expect(200)
            let joinCode = try await meeting.form().string("joinCode")
            #expect(try await service.anyone.get("/v1/forms/\(joinCode)/results").status == 404)
        }
    }

    @Test func joinCodeReturnsResultsWhileTheFormIsOpen() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""showResults": "afterSubmission""#)
            let path = "/v1/forms/\(try await meeting.form().string("joinCode").uppercased())/results"
            let proof = ["Authorization": "Receipt \(try await meeting.receipt().receipt)"]
            let expected = try await meeting.results().expect(200)
            #expect(try await service.anyone.get(path, headers: proof).expect(200).body == expected.body)
            #expect(try await service.anyone.get(path).status == 403)
            try await meeting.perform("close").expect(200)
            #expect(try await service.anyone.get(path, headers: proof).status == 404)
        }
    }

    @Test func finalFormHasNoReceiptsAndStillShowsItsResults() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""showResults": "afterSubmission""#)
            let receipt = try await meeting.receipt().receipt
            try await meeting.perform("close").expect(200)
            let id = try #require(UUID(uuidString: meeting.id))
            let form: Statement = "(SELECT id FROM form WHERE meeting_id = \(id))"
            try await service.sql("DELETE FROM form_salt WHERE form_id = \(fragment: form)")
            try await service.sql("UPDATE form_state SET state = 'final' WHERE form_id = \(fragment: form)")
            // The keys of a form are cached for a second.
            let deadline = ContinuousClock.now + .seconds(10)
            var response = try await meeting.participant(receipt: receipt)
            while response.status != 409, .now < deadline { response = try await meeting.participant(receipt: receipt) }
            #expect(response.problem == "form-final")
            #expect(try await meeting.participant().status == 403)
            try await service.sql("UPDATE form_state SET show_results = 'afterClose' WHERE form_id = \(fragment: form)")
            #expect(try await meeting.participant(receipt: receipt).status == 200)
        }
    }

    @Test func otherCredentialsAreRefused() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""showResults": "always""#)
            for authorization in ["Bearer abc", "Respondent abc", "Receipt", "Basic abc"] {
                let response = try await service.anyone.get(
                    "\(meeting.formPath)/results", headers: ["Authorization": authorization])
                #expect(response.status == 401, "\(authorization)")
            }
            #expect(try await service.host.get("\(meeting.formPath)/results").status == 401)
            #expect(try await meeting.anyone.get("\(meeting.formPath)/results?receipt=a").status == 422)
        }
    }

    @Test func currentETagsGetNotModified() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""showResults": "always""#)
            let tag = try #require(try await meeting.participant()["ETag"])
            let known = ["If-None-Match": tag]
            let same = try await service.anyone.get("\(meeting.formPath)/results", headers: known)
            #expect(same.status == 304 && same.body.isEmpty)
            #expect(try await service.host.get("\(meeting.path)/results", headers: known).status == 304)
            try await meeting.submit(#"{"pace": 1}"#).expect(201)
            try await service.anyone.get("\(meeting.formPath)/results", headers: known).expect(200)
            try await meeting.show("never")
            #expect(try await service.anyone.get("\(meeting.formPath)/results", headers: known).status == 403)
        }
    }

    @Test func participantsSeeOnlyReleasedCounts() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(
                settings: #""anonymous": true, "minimumGroup": 3, "showResults": "always""#)
            let path = try await meeting.sharePath() + "/results"
            for count in 1...8 {
                try await meeting.submit("{\"pace\": \(count % 5 + 1)}").expect(201)
                let host = try await meeting.results().expect(200)
                #expect(try await meeting.participant().body == host.body)
                #expect(try await service.anyone.get(path).body == host.body)
                #expect(try host.decoded(as: Results.self).withheld != nil)
            }
            try await meeting.perform("close").expect(200)
            #expect(try await meeting.participant().decoded(as: Results.self).withheld == nil)
        }
    }

    @Test func receiptIsBoundToItsSubmission() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let (one, other) = (try await meeting.receipt(), try await meeting.receipt())
            #expect(one.receipt.utf8.count == 64 && one.receipt != other.receipt)
            for (id, receipt, status) in [(one.id, one.receipt, 200), (one.id, other.receipt, 404)] {
                let response = try await service.anyone.get(
                    "\(meeting.submissionsPath)/\(id)", headers: ["Authorization": "Receipt \(receipt)"])
                #expect(response.status == status)
            }
            // A receipt with the id of one submission and the proof of another.
            let mixed = one.receipt.prefix(21) + other.receipt.dropFirst(21)
            try await meeting.show("afterSubmission")
            #expect(try await meeting.participant(receipt: String(mixed)).status == 404)
            for receipt in [one.receipt + "AAAA", String(one.receipt.dropLast()), "%00", "_"] {
                #expect([401, 404].contains(try await meeting.participant(receipt: receipt).status))
            }
        }
    }

    @Test func equalTagsMeanEqualBodiesDuringChanges() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""showResults": "always""#)
            let own = try await meeting.receipt()
            let share = try await meeting.sharePath() + "/results"
            let taggedBodies = try await withThrowingTaskGroup(of: [(tag: String, body: [UInt8])].self) { group in
                group.addTask {
                    for verb in Array(repeating: ["release", "withhold"], count: 12).joined() {
                        try await meeting.moderate(verb).expect(204)
                    }
                    return []
                }
                group.addTask {
                    for number in 0..<24 {
                        try await meeting.moderate(number % 2 == 0 ? "hide" : "unhide", answer: own.id).expect(204)
                        try await meeting.submit(#"{"pace": 3}"#).expect(201)
                    }
                    return []
                }
                for path in [meeting.formPath + "/results", share, "\(meeting.path)/results"] {
                    group.addTask {
                        var responses: [(tag: String, body: [UInt8])] = []
                        for _ in 0..<60 {
                            let response = try await service.host.get(
                                path,
                                headers: path.hasPrefix("/v1/forms") ? ["Authorization": "Receipt \(own.receipt)"] : [:]
                            )
                            responses.append((try #require(response["ETag"]), try response.expect(200).body))
                        }
                        return responses
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            var bodies: [String: [UInt8]] = [:]
            for (tag, body) in taggedBodies {
                #expect(bodies.updateValue(body, forKey: tag).map { $0 == body } ?? true)
            }
            #expect(bodies.count > 5)
        }
    }
}
