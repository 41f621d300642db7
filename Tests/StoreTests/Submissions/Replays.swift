import Domain
import Foundation
import Store
import StrictJSON
import TestSupport
import Testing

@Suite struct Replays {
    @Test func concurrentRequestsWithOneKeyGiveOneSubmissionAndOneReceipt() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            let receipts = try await withThrowingTaskGroup(of: SubmissionReceipt.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        try await fixture.submit(#"{"pace": 4}"#, to: meeting, key: "a-key-of-one-client")
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(receipts.map(\.receipt)).count == 1)
            #expect(Set(receipts.map(\.id)).count == 1)
            #expect(receipts.filter { !$0.isReplay }.count == 1)
            let counts = try await fixture.counts(of: meeting)
            #expect(counts == (1, 1))
        }
    }

    @Test func sameKeyWithAnotherBodyIsAConflict() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            _ = try await fixture.submit(#"{"pace": 4}"#, to: meeting, key: "a-key-of-one-client")
            let refusal = try await problem {
                _ = try await fixture.submit(#"{"pace": 5}"#, to: meeting, key: "a-key-of-one-client")
            }
            #expect(refusal?.code == .idempotencyConflict)
        }
    }

    @Test func replayIsAnsweredAfterTheClose() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            let first = try await fixture.submit(#"{"pace": 4}"#, to: meeting, key: "a-key-of-one-client")
            _ = try await fixture.store.forms.close(meetingID: meeting.id, by: fixture.host.account.id)
            let again = try await fixture.submit(#"{"pace": 4}"#, to: meeting, key: "a-key-of-one-client")
            #expect(again.isReplay)
            #expect(again.receipt == first.receipt)
        }
    }

    @Test func replayWhoseBodyIsNowInvalidIsAnswered() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            let first = try await fixture.submit(#"{"pace": 4}"#, to: meeting, key: "a-key-of-one-client")
            try await fixture.edit(
                meeting, settings: "",
                questions: #"[{"key": "new", "kind": "text", "title": "New?", "required": true}]"#)
            let again = try await fixture.submit(#"{"pace": 4}"#, to: meeting, key: "a-key-of-one-client")
            #expect(again.isReplay && again.id == first.id)
        }
    }

    @Test func finalFormRefusesAReplayWhoseBodyIsNowInvalidToo() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            _ = try await fixture.submit(#"{"pace": 4}"#, to: meeting, key: "a-key-of-one-client")
            try await fixture.edit(
                meeting, settings: "",
                questions: #"[{"key": "new", "kind": "text", "title": "New?", "required": true}]"#)
            _ = try await fixture.store.forms.finish(meetingID: meeting.id, by: fixture.host.account.id)
            let refusal = try await problem {
                _ = try await fixture.submit(#"{"pace": 4}"#, to: meeting, key: "a-key-of-one-client")
            }
            #expect(refusal?.code == .formFinal)
        }
    }

    @Test func replayAfterAWithdrawalIsRefused() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            let first = try await fixture.submit(#"{"pace": 4}"#, to: meeting, key: "a-key-of-one-client")
            try await fixture.store.submissions.withdraw(first.id, code: meeting.form.code, receipt: first.receipt)
            try await fixture.store.submissions.withdraw(first.id, code: meeting.form.code, receipt: first.receipt)
            let refusal = try await problem {
                _ = try await fixture.submit(#"{"pace": 4}"#, to: meeting, key: "a-key-of-one-client")
            }
            #expect(refusal?.code == .withdrawn)
            let counts = try await fixture.counts(of: meeting)
            #expect(counts == (0, 0))
        }
    }

    @Test func deviceAnswersOnceUnderConcurrency() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(settings: #""identity": "device""#)
            let device = String(repeating: "k", count: 40)
            let outcomes = try await withThrowingTaskGroup(of: ProblemCode?.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        try await problem {
                            _ = try await fixture.submit(
                                #"{"pace": 4}"#, to: meeting, key: "key-of-attempt-\(number)", respondent: device)
                        }?.code
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.filter { $0 == nil }.count == 1)
            #expect(outcomes.filter { $0 == .alreadySubmitted }.count == 199)
        }
    }

    @Test func malformedOrMissingDeviceKeyIsRefused() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(settings: #""identity": "device""#)
            for key in [
                "", "k", String(repeating: "k", count: 31), String(repeating: "k", count: 129),
                String(repeating: "ä", count: 40),
            ] {
                let refusal = try await problem {
                    _ = try await fixture.submit(#"{"pace": 4}"#, to: meeting, respondent: key)
                }
                #expect(refusal?.code == .respondentRequired, "\(key)")
            }
            let none = try await problem { _ = try await fixture.submit(#"{"pace": 4}"#, to: meeting) }
            #expect(none?.code == .respondentRequired)
        }
    }

    @Test func receiptIsValidForItsOwnSubmissionOnly() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            let mine = try await fixture.submit(#"{"pace": 4}"#, to: meeting)
            let yours = try await fixture.submit(#"{"pace": 2}"#, to: meeting)
            let refusal = try await problem {
                _ = try await fixture.store.submissions.find(yours.id, code: meeting.form.code, receipt: mine.receipt)
            }
            #expect(refusal?.code == .notFound)
            let own = try await fixture.store.submissions.find(mine.id, code: meeting.form.code, receipt: mine.receipt)
            #expect(own.answers["pace"]?.int == 4)
        }
    }
}
