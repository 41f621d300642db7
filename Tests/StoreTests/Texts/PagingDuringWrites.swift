import Domain
import Foundation
import Store
import TestSupport
import Testing

/// A reader who continues page by page misses no text and gets none twice, whatever is written in the meantime.
@Suite(.timeLimit(.minutes(15))) struct PagingDuringWrites {
    @Test(arguments: [false, true]) func pagesShowEachTextOnceDuringWritesAndImports(released: Bool) async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(TestStore.textQuestions)
            if released {
                try await fixture.store.texts.setReleased(
                    true, question: "better", of: meeting, by: fixture.host.account.id)
            }
            let start = Date(timeIntervalSince1970: 1_700_000_000)
            // Ten texts for each time.
            let early = (0..<120).map { WrittenText(text: "early \($0)", at: start + Double($0 / 10) * 60) }
            try await fixture.write(early.shuffled(), to: meeting)
            let timeLimited = try await fixture.boundedStore(1...9, group: 8)
            for store in [fixture.store, timeLimited] {
                // While each page is read, six texts are written, some before it in the list and some after it. They
                // nearly fill a page, so a reader who started again with each page would never reach the end.
                var writing = Task {}
                let read = try await fixture.walk(meeting, in: store, released: released, limit: 7) { _ in
                    await writing.value
                    writing = Task {
                        let backdated = (0..<5).map { _ in
                            WrittenText(text: "late", at: start + Double.random(in: -60...800).rounded())
                        }
                        await #expect(throws: Never.self) {
                            try await fixture.write(backdated + [WrittenText(text: "late")], to: meeting)
                        }
                    }
                }
                await writing.value
                let earlyTexts = read.texts.map(\.text).filter { $0 != "late" }
                #expect(earlyTexts.count == 120 && Set(earlyTexts) == Set(early.compactMap(\.text)))
                #expect(Set(read.texts.map(\.id)).count == read.texts.count, "no duplicates")
            }
            await timeLimited.close()
        }
    }

    @Test func hiddenOrWithdrawnTextMovesNoOther() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(TestStore.textQuestions)
            var own: [(text: String, receipt: SubmissionReceipt)] = []
            for number in 1...9 {
                own.append(
                    ("text \(number)", try await fixture.submit("{\"better\": \"text \(number)\"}", to: meeting)))
            }
            let read = try await fixture.walk(meeting, limit: 2) { page in
                guard page == 1 else { return }
                // Two texts have been read. One of them and an unread one are withdrawn. Another unread one is hidden.
                for index in [8, 4] {
                    try await fixture.store.submissions.withdraw(
                        own[index].receipt.id, code: meeting.form.code, receipt: own[index].receipt.receipt)
                }
                try await fixture.store.texts.setHidden(
                    true, answer: own[2].receipt.id, question: "better", of: meeting, by: fixture.host.account.id)
            }
            #expect(read.texts.map(\.text) == [9, 8, 7, 6, 4, 2, 1].map { "text \($0)" })
        }
    }
}
