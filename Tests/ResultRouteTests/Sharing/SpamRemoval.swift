import Contract
import Foundation
import Postgres
import StrictJSON
import TestSupport
import Testing

/// Removal of a submission by the host.
@Suite(.timeLimit(.minutes(15))) struct SpamRemoval {
    @Test func removedSubmissionIsNotCountedAndCannotBeSentAgain() async throws {
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
            // The author of the spam gets 410 and cannot send it again.
            let own = ["Authorization": "Receipt \(spam.receipt)"]
            #expect(try await service.anyone.get("\(meeting.submissionsPath)/\(spam.id)", headers: own).status == 410)
            #expect(try await meeting.submit(#"{"pace": 5}"#, respondent: device).status == 410)
            let entries = try await service.admin.get("/v1/admin/audit?act=submission.delete").expect(200)
            #expect(entries.json?["items"]?.array?.count == 1)
            #expect(entries.json?["items"]?[0]?["subjectId"]?.string == spam.id.description)
        }
    }

    @Test func removalIsPossibleAfterTheCloseButNotInTheTrash() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let (one, other) = (try await meeting.receipt(), try await meeting.receipt())
            try await meeting.perform("close").expect(200)
            #expect(try await meeting.host.delete("\(meeting.path)/submissions/\(one.id)").status == 204)
            #expect(try await meeting.results().decoded(as: Results.self).submissions == 1)
            _ = try await meeting.host.delete(meeting.path).expect(204)
            #expect(try await meeting.host.delete("\(meeting.path)/submissions/\(other.id)").status == 404)
        }
    }

    @Test func minimumGroupDoesNotPreventRemoval() async throws {
        try await TestService.run { service in
            for closing in ["before", "by the clock", "after"] {
                let meeting = try await service.openMeeting(settings: #""minimumGroup": 3, "showResults": "always""#)
                for _ in 1...5 { try await meeting.submit(#"{"pace": 1}"#).expect(201) }
                let spam = try await meeting.receipt(of: #"{"pace": 5}"#)
                try await meeting.submit(#"{"pace": 2}"#).expect(201)
                if closing == "before" { try await meeting.perform("close").expect(200) }
                if closing == "by the clock" {
                    let id = try #require(UUID(uuidString: meeting.id))
                    try await service.sql(
                        """
                        UPDATE form_state SET closes_at = now() - interval '1 day'
                        WHERE form_id = (SELECT id FROM form WHERE meeting_id = \(id))
                        """)
                }
                try await meeting.host.delete("\(meeting.path)/submissions/\(spam.id)").expect(204)
                if closing == "after" { try await meeting.perform("close").expect(200) }
                let results = try await meeting.participant().expect(200).decoded(as: Results.self)
                #expect(results.questions[0].datasets?.first?.data == [5, 1, 0, 0, 0], "closed \(closing)")
                #expect(results.submissions == 6 && results.withheld == nil, "closed \(closing)")
            }
        }
    }

    @Test func countsAreWithheldWhenRemovalLeavesFewerThanAGroup() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""minimumGroup": 3, "showResults": "always""#)
            var receipts: [SubmissionReceipt] = []
            for pace in 1...4 { receipts.append(try await meeting.receipt(of: "{\"pace\": \(pace)}")) }
            try await meeting.perform("close").expect(200)
            #expect(try await meeting.participant().decoded(as: Results.self).withheld == nil)
            for (spam, shown) in zip(receipts, [3, 0, 0, 0]) {
                try await meeting.host.delete("\(meeting.path)/submissions/\(spam.id)").expect(204)
                let results = try await meeting.participant().expect(200).decoded(as: Results.self)
                #expect((results.withheld?.shown ?? results.submissions) == shown)
                if shown == 0, results.submissions > 0 { #expect(results.questions[0].datasets?.first?.data == []) }
            }
            // From here on, counts are released as for a new form.
            try await meeting.perform("reopen").expect(200)
            for _ in 1...3 { try await meeting.submit(#"{"pace": 5}"#).expect(201) }
            #expect(try await meeting.participant().decoded(as: Results.self).withheld?.shown == 0)
            try await meeting.perform("close").expect(200)
            let results = try await meeting.participant().decoded(as: Results.self)
            #expect(results.withheld == nil && results.questions[0].datasets?.first?.data == [0, 0, 0, 0, 3])
        }
    }

    @Test func submissionsOfAnAnonymousFormCannotBeRemoved() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""anonymous": true"#)
            let own = try await meeting.receipt()
            for id in [own.id, ResourceID(UUID())] {
                let response = try await meeting.host.delete("\(meeting.path)/submissions/\(id)")
                #expect(
                    response.status == 409 && response.problem == "anonymous-form",
                    "the response does not reveal whether the submission exists")
            }
            #expect(try await meeting.results().decoded(as: Results.self).submissions == 1)
        }
    }

    @Test func submissionsOfOtherMeetingsAreNotFound() async throws {
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

    @Test func concurrentWithdrawalCorrectionAndRemovalKeepTheCountsExact() async throws {
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
