import Contract
import Foundation
import StrictJSON
import TestSupport
import Testing

/// A submission that its host takes away.
@Suite(.timeLimit(.minutes(5))) struct SpamRemoval {
    @Test func countsFollowAndNothingComesBack() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""identity": "device""#)
            let device = String(repeating: "d", count: 40)
            let sent = try await meeting.submit(
                #"{"pace": 5, "better": "spam"}"#, key: "0123456789abcdef", respondent: device)
            let spam: SubmissionReceipt = try sent.expect(201).decoded()
            try await meeting.submit(#"{"pace": 1}"#, respondent: String(repeating: "e", count: 40)).expect(201)
            let path = "\(meeting.path)/submissions/\(spam.id)"
            for _ in 1...2 { #expect(try await meeting.host.delete(path).status == 204) }
            let results = try await meeting.results().decoded(as: Results.self)
            #expect(results.submissions == 1 && results.questions[0].datasets?.first?.data == [1, 0, 0, 0, 0])
            #expect(try await meeting.texts().items.isEmpty)
            let export = try await meeting.host.get("\(meeting.path)/export/submissions.csv").expect(200)
            #expect(!export.text.contains("spam"))
            // Its author is told, and cannot send it again.
            let own = ["Authorization": "Receipt \(spam.receipt)"]
            #expect(try await service.anyone.get("\(meeting.submissionsPath)/\(spam.id)", headers: own).status == 410)
            #expect(try await meeting.submit(#"{"pace": 5}"#, respondent: device).status == 410)
            let acts = try await service.admin.get("/v1/admin/audit?act=submission.delete").expect(200)
            #expect(acts.json?["items"]?.array?.count == 1)
            #expect(acts.json?["items"]?[0]?["subjectId"]?.string == spam.id.description)
        }
    }

    @Test func itIsPossibleOnceTheFormIsClosedAndNotInTheTrash() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let (one, other) = (try await meeting.receipt(), try await meeting.receipt())
            try await meeting.act("close").expect(200)
            #expect(try await meeting.host.delete("\(meeting.path)/submissions/\(one.id)").status == 204)
            #expect(try await meeting.results().decoded(as: Results.self).submissions == 1)
            _ = try await meeting.host.delete(meeting.path).expect(204)
            #expect(try await meeting.host.delete("\(meeting.path)/submissions/\(other.id)").status == 404)
        }
    }

    @Test func anAnonymousFormHasNoSingleSubmissions() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""anonymous": true"#)
            let own = try await meeting.receipt()
            for id in [own.id, ResourceID(UUID())] {
                let answer = try await meeting.host.delete("\(meeting.path)/submissions/\(id)")
                #expect(answer.status == 409 && answer.problem == "anonymous-form", "there or not")
            }
            #expect(try await meeting.results().decoded(as: Results.self).submissions == 1)
        }
    }

    @Test func whatIsNotOfTheMeetingDoesNotExist() async throws {
        try await TestService.run { service in
            let (meeting, elsewhere) = (try await service.openMeeting(), try await service.openMeeting())
            let own = try await meeting.receipt()
            for path in [
                "\(elsewhere.path)/submissions/\(own.id)", "\(meeting.path)/submissions/\(ResourceID(UUID()))",
                "\(meeting.path)/submissions/nonsense",
            ] { #expect(try await meeting.host.delete(path).status == 404, "\(path)") }
            #expect(try await service.other.delete("\(meeting.path)/submissions/\(own.id)").status == 404)
            #expect(try await meeting.results().decoded(as: Results.self).submissions == 1)
        }
    }

    @Test func withdrawingCorrectingAndRemovingAtOnceLeaveTheCountsTrue() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            var receipts: [SubmissionReceipt] = []
            for _ in 0..<12 { receipts.append(try await meeting.receipt()) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for own in receipts {
                    let proof = ["Authorization": "Receipt \(own.receipt)"]
                    let (path, mine) = ("\(meeting.path)/submissions/\(own.id)", "\(meeting.submissionsPath)/\(own.id)")
                    group.addTask { _ = try await meeting.host.delete(path).expect(204) }
                    group.addTask { _ = try await service.anyone.delete(mine, headers: proof).expect(204) }
                    group.addTask {
                        let edit = try await service.anyone.put(
                            mine, json: #"{"answers": {"pace": 1}}"#, headers: proof)
                        #expect([200, 410].contains(edit.status))
                    }
                }
                try await group.waitForAll()
            }
            let results = try await meeting.results().decoded(as: Results.self)
            #expect(results.submissions == 0 && results.questions.allSatisfy { $0.answered == 0 && $0.skipped == 0 })
        }
    }
}
