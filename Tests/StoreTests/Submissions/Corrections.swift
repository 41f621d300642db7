import Domain
import Foundation
import Store
import StrictJSON
import TestSupport
import Testing

@Suite struct Corrections {
    @Test func talliesFollowCorrectionsAndWithdrawals() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            let code = meeting.form.code
            let first = try await fixture.submit(#"{"pace": 4, "topics": ["demo", {"other": "lunch"}]}"#, to: meeting)
            _ = try await fixture.submit(#"{"pace": 2, "better": "More time"}"#, to: meeting)
            let corrected = try await fixture.store.submissions.correct(
                first.id, code: code, receipt: first.receipt, version: nil,
                answers: JSONValue.parse(Array(#"{"pace": 1, "topics": ["talk"]}"#.utf8)))
            #expect(corrected.updatedAt != nil)
            var results = try await fixture.store.results.read(meeting.form.id)
            #expect(results.questions[0].datasets[0].data == [1, 1, 0, 0, 0])
            #expect(results.questions[1].datasets[0].data == [0, 1, 0])
            #expect(results.questions[2].answered == 1)
            try await fixture.store.submissions.withdraw(first.id, code: code, receipt: first.receipt)
            results = try await fixture.store.results.read(meeting.form.id)
            #expect(results.submissions == 1)
            #expect(results.questions[0].datasets[0].data == [0, 1, 0, 0, 0])
            #expect(results.questions[1].skipped == 1)
        }
    }

    @Test func correctionsAreValidatedAndNeedAnOpenForm() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            let mine = try await fixture.submit(#"{"pace": 4}"#, to: meeting)
            let invalid = try await problem {
                _ = try await fixture.store.submissions.correct(
                    mine.id, code: meeting.form.code, receipt: mine.receipt, version: nil,
                    answers: JSONValue.parse(Array(#"{"pace": 6}"#.utf8)))
            }
            #expect(invalid?.faults.map(\.pointer) == ["/answers/pace"])
            _ = try await fixture.store.forms.close(meetingID: meeting.id, by: fixture.host.account.id)
            let late = try await problem {
                _ = try await fixture.store.submissions.correct(
                    mine.id, code: meeting.form.code, receipt: mine.receipt, version: nil,
                    answers: JSONValue.parse(Array(#"{"pace": 5}"#.utf8)))
            }
            #expect(late?.code == .formClosed)
            let lateWithdrawal = try await problem {
                try await fixture.store.submissions.withdraw(
                    mine.id, code: meeting.form.code, receipt: mine.receipt)
            }
            #expect(lateWithdrawal?.code == .formClosed)
        }
    }

    @Test func concurrentChangesLeaveTalliesEqualToARecount() async throws {
        // TestStore.run ends with the recount.
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<16 {
                    group.addTask {
                        var generator = SystemRandomNumberGenerator()
                        for _ in 0..<25 {
                            let pace = Int.random(in: 1...5, using: &generator)
                            let receipt = try await fixture.submit(#"{"pace": \#(pace)}"#, to: meeting)
                            switch Int.random(in: 0..<3, using: &generator) {
                            case 0:
                                _ = try await fixture.store.submissions.correct(
                                    receipt.id, code: meeting.form.code, receipt: receipt.receipt, version: nil,
                                    answers: JSONValue.parse(Array(#"{"topics": ["demo"], "pace": \#(6 - pace)}"#.utf8))
                                )
                            case 1:
                                try await fixture.store.submissions.withdraw(
                                    receipt.id, code: meeting.form.code, receipt: receipt.receipt)
                            default: break
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let counts = try await fixture.counts(of: meeting)
            #expect(counts.counted == counts.stored)
            #expect(counts.counted > 0)
        }
    }

    @Test func answersSurviveAnEdit() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            _ = try await fixture.submit(#"{"pace": 4, "topics": ["demo"]}"#, to: meeting)
            // `topics` loses an option and moves, `better` is retired, and a new question is added.
            try await fixture.edit(
                meeting, settings: "",
                questions: """
                    [{"key": "mood", "kind": "rating", "title": "And the mood?"},
                     {"key": "topics", "kind": "choice", "title": "What helped you?", "multiple": true,
                      "options": [{"id": "talk", "label": "The talks"}]},
                     {"key": "pace", "kind": "rating", "title": "The pace?"}]
                    """)
            _ = try await fixture.submit(#"{"mood": 5}"#, to: meeting)
            _ = try await fixture.submit(#"{"pace": 1}"#, to: meeting, version: 1)
            let results = try await fixture.store.results.read(meeting.form.id)
            #expect(results.version == 2)
            #expect(results.questions.map(\.key) == ["mood", "topics", "pace", "better"])
            #expect(results.questions[1].labels == ["The talks", "The demo", "Other"])
            #expect(results.questions[1].datasets[0].data == [0, 1, 0])
            #expect(results.questions[2].datasets[0].data == [1, 0, 0, 1, 0])
            // Only submissions whose version contains the question count as skipped.
            #expect(results.questions[3].skipped == 2)
            #expect(results.questions[0].answered + results.questions[0].skipped == 1)
        }
    }

    @Test func answeredFormRefusesEditsThatChangeItsMeaning() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            _ = try await fixture.submit(#"{"pace": 4}"#, to: meeting)
            let refusal = try await problem {
                try await fixture.edit(
                    meeting, settings: #""identity": "device", "anonymous": true"#,
                    questions: """
                        [{"key": "pace", "kind": "text", "title": "Pace?"},
                         {"key": "topics", "kind": "choice", "title": "T", "options": [{"id": "demo", "label": "D"}]}]
                        """)
            }
            #expect(
                Set(refusal?.faults.map(\.pointer) ?? [])
                    == ["/identity", "/anonymous", "/questions/0/kind", "/questions/1/multiple"])
        }
    }
}
