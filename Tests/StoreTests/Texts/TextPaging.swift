import Domain
import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

/// The pages add up to the complete ordered list, whatever the length and the time limit of a page.
@Suite(.timeLimit(.minutes(15))) struct TextPaging {
    private static let times = (0..<6).map { Date(timeIntervalSince1970: 1_700_000_000 + Double($0) * 3_600) }

    /// Writes up to 60 texts, each at one of six times. Some are long, skipped, hidden or withdrawn. Four more
    /// submissions skip the question and have a long text in their other answer.
    private static func write(_ fixture: TestStore, to meeting: Meeting) async throws {
        let count = Int.random(in: 0...60)
        let written = (0..<count).map { number in
            let suffix = String(repeating: " and more", count: [0, 0, 10, 500, 9_000].randomElement() ?? 0)
            return WrittenText(
                text: Bool.random() || number % 3 > 0 ? "Text \(number % 7)" + suffix : nil, at: times.randomElement())
        }
        try await fixture.write(written, to: meeting)
        let longOthers = (0..<4).map { _ in
            WrittenText(text: String(repeating: "Text 3 ", count: 4_000), at: times.randomElement())
        }
        try await fixture.write(longOthers, to: meeting, question: "more")
        for text in written.shuffled().prefix(count / 5) {
            try await fixture.store.pool.execute(
                "UPDATE submission SET hidden = '{better}' WHERE form_id = \(meeting.form.id) AND id = \(text.id)")
        }
        for text in written.shuffled().prefix(count / 6) {
            try await fixture.store.pool.execute(
                """
                UPDATE submission SET withdrawn = true, answers = NULL, key_mac = NULL, body_mac = NULL
                WHERE form_id = \(meeting.form.id) AND id = \(text.id)
                """)
        }
        // Submissions withdrawn by SQL require a repair of the counts.
        _ = try await fixture.store.verification.run(meeting: nil, repair: true) { _, _ in }
    }

    @Test(arguments: [false, true]) func pagesOfAnyLengthAddUpToTheList(anonymous: Bool) async throws {
        try await TestStore.run { fixture in
            let timeLimited = try await fixture.boundedStore()
            let unhurried = try await fixture.boundedStore(3...50, group: 8, time: .seconds(60), bytes: 10_000)
            for _ in 1...6 {
                let settings = anonymous ? #""anonymous": true"# : #""anonymous": false"#
                let meeting = try await fixture.openMeeting(TestStore.textQuestions, settings: settings)
                try await Self.write(fixture, to: meeting)
                _ = try await fixture.store.forms.close(meetingID: meeting.id, by: fixture.host.account.id)
                try await fixture.store.pool.execute(
                    "UPDATE tally SET shown = count, pending = count")
                let current = try await fixture.store.meetings.require(meeting.id, by: fixture.host)
                for (search, hidden) in [(nil, false), ("TEXT 3", false), (nil, true)] {
                    let expected = try await Self.expected(fixture, meeting, search: search, hidden: hidden)
                    let complete = try await fixture.walk(
                        current, in: unhurried, containing: search, hidden: hidden, limit: 200)
                    #expect(complete.partial == 0)
                    if anonymous {
                        #expect(Set(complete.texts.map(\.id)).count == complete.texts.count)
                        #expect(complete.texts.map(\.text).sorted() == expected.map(\.text).sorted())
                    } else {
                        #expect(complete.texts.map(\.id) == expected.map(\.id), "newest first, then by id")
                    }
                    for store in [unhurried, timeLimited, fixture.store] {
                        let limit = Int.random(in: 1...9)
                        let walked = try await fixture.walk(
                            current, in: store, containing: search, hidden: hidden, limit: limit)
                        // With another group size, the answers of an anonymous form are in another order.
                        let ids = walked.texts.map(\.id)
                        if store === unhurried || !anonymous {
                            #expect(ids == complete.texts.map(\.id), "\(limit)")
                        } else {
                            #expect(ids.count == complete.texts.count && Set(ids) == Set(complete.texts.map(\.id)))
                        }
                    }
                }
            }
            await timeLimited.close()
            await unhurried.close()
        }
    }

    private static func expected(
        _ fixture: TestStore, _ meeting: Meeting, search: String?, hidden: Bool
    ) async throws -> [(id: UUID, text: String)] {
        let pattern = search.map { $0.capitalized + "%" } ?? "%"
        let rows = try await fixture.store.pool.query(
            """
            SELECT s.id, s.answers->>'better' FROM submission s
            WHERE s.form_id = \(meeting.form.id) AND s.answers->>'better' LIKE \(pattern)
                AND (s.hidden IS NOT NULL) = \(hidden)
            ORDER BY s.submitted_at DESC, s.id DESC
            """)
        return try rows.map { try $0.decode(UUID.self, String.self) }
    }

    @Test func pageThatRunsOutOfTimeIsPartialAndHasACursor() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(TestStore.textQuestions)
            let written = (0..<40).map { WrittenText(text: $0 == 0 ? "the needle" : "hay \($0)", at: Self.times[0]) }
            try await fixture.write(written, to: meeting)
            let timeLimited = try await fixture.boundedStore(5...5)
            let first = try await timeLimited.texts.list(
                of: meeting, question: "better", containing: "needle", limit: 5)
            let walked = try await fixture.walk(meeting, in: timeLimited, containing: "needle", limit: 5)
            #expect(walked.texts.map(\.text) == ["the needle"] && walked.partial >= 6)
            // Ids are random, so the match is in the first chunk with a probability of one in eight.
            #expect(first.isPartial && first.items.count <= 1 && first.next != nil)
            let unhurried = try await fixture.walk(meeting, containing: "needle", limit: 5)
            #expect(unhurried.texts.map(\.text) == ["the needle"] && unhurried.pages == 1 && unhurried.partial == 0)
            await timeLimited.close()
        }
    }

    @Test func rareAnswerOfALargeFormIsFoundInSteps() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(TestStore.textQuestions, settings: #""anonymous": true"#)
            try await fixture.write((0..<60).map { WrittenText(text: $0 < 3 ? "rare \($0)" : nil) }, to: meeting)
            _ = try await fixture.store.forms.close(meetingID: meeting.id, by: fixture.host.account.id)
            let closed = try await fixture.store.meetings.require(meeting.id, by: fixture.host)
            let timeLimited = try await fixture.boundedStore(10...10)
            let walked = try await fixture.walk(closed, in: timeLimited, limit: 2)
            #expect(Set(walked.texts.map(\.text)) == ["rare 0", "rare 1", "rare 2"])
            #expect(walked.partial >= 5, "six chunks are read before the first answer is shown")
            // The order is now cached, so each page needs only one step.
            #expect(try await fixture.walk(closed, in: timeLimited, limit: 2).partial == 0)
            await timeLimited.close()
        }
    }

    /// If one reader has read only a part of the shuffled order, the list of a later reader is still complete.
    @Test func laterListContainsAllTextsThatExistAtItsStart() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(TestStore.textQuestions)
            try await fixture.store.texts.setReleased(
                true, question: "better", of: meeting, by: fixture.host.account.id)
            try await fixture.write((0..<60).map { WrittenText(text: $0 < 5 ? "early \($0)" : nil) }, to: meeting)
            let timeLimited = try await fixture.boundedStore(10...10, group: 4_096)
            var (firstReaderTexts, cursor): ([TextAnswer], String?) = ([], nil)
            for _ in 1...4 {
                let page = try await timeLimited.texts.released(
                    of: meeting, question: "better", after: cursor, limit: 3)
                #expect(page.isPartial && page.items.isEmpty)
                cursor = page.next
            }
            try await fixture.write((0..<20).map { WrittenText(text: "late \($0)") }, to: meeting)
            let later = try await fixture.walk(meeting, in: timeLimited, released: true, limit: 3).texts
            #expect(later.count == 25 && Set(later.map(\.text)).count == 25)
            while let next = cursor {
                let page = try await timeLimited.texts.released(of: meeting, question: "better", after: next, limit: 3)
                firstReaderTexts += page.items
                cursor = page.next
            }
            #expect(firstReaderTexts.count { $0.text.hasPrefix("early") } == 5)
            #expect(Set(firstReaderTexts.map(\.id)).count == firstReaderTexts.count)
            await timeLimited.close()
        }
    }

    @Test func cursorOfASmallListIsInvalidOnceTheListIsLarge() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(TestStore.textQuestions)
            try await fixture.store.texts.setReleased(
                true, question: "better", of: meeting, by: fixture.host.account.id)
            var bounds = TextBounds()
            (bounds.smallestGroup, bounds.largestGroup) = (8, 32)
            let store = try await fixture.secondStore(texts: bounds)
            @Sendable func page(_ cursor: String?) async throws -> TextAnswerPage {
                try await store.texts.released(of: meeting, question: "better", after: cursor, limit: 2)
            }
            try await fixture.write((0..<15).map { WrittenText(text: "text \($0)") }, to: meeting)
            let first = try await page(nil)
            try await fixture.write((15..<32).map { WrittenText(text: "text \($0)") }, to: meeting)
            let second = try await page(first.next)
            #expect(first.items.count == 2 && second.items.count == 2)
            try await fixture.write([WrittenText(text: "one more")], to: meeting)
            let refused = try await problem { _ = try await page(second.next) }
            #expect(refused?.faults.map { "\($0.pointer) \($0.code)" } == ["?cursor invalid-cursor"])
            // Read from the start, the list uses smaller groups.
            let walked = try await fixture.walk(meeting, in: store, released: true, limit: 5)
            #expect(Set(walked.texts.map(\.text)).count == 33 && walked.texts.count == 33)
            await store.close()
        }
    }

    @Test(arguments: [true, false]) func longTextsFillAPageBeforeItsLimit(isReleased: Bool) async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(TestStore.textQuestions)
            try await fixture.store.texts.setReleased(
                true, question: "better", of: meeting, by: fixture.host.account.id)
            var bounds = TextBounds()
            (bounds.pageBytes, bounds.timeLimit) = (1_000, .seconds(60))
            let store = try await fixture.secondStore(texts: bounds)
            // The last text alone has more bytes than a page.
            let lengths = [400, 400, 400, 10, 10, 10, 990, 20, 400, 1_500]
            let written = lengths.enumerated().map { index, length in
                WrittenText(text: "\(index) " + String(repeating: "x", count: length))
            }
            try await fixture.write(written, to: meeting)
            let limited = try await fixture.walk(meeting, in: store, released: isReleased, limit: 200)
            #expect(limited.texts.count == lengths.count)
            #expect(Set(limited.texts.map(\.text)) == Set(written.compactMap(\.text)))
            #expect(limited.pages >= 4 && limited.partial == limited.pages - 1)
            let unlimited = try await fixture.walk(meeting, released: isReleased, limit: 200)
            #expect(unlimited.pages == 1 && unlimited.texts.map(\.text) == limited.texts.map(\.text))
            await store.close()
        }
    }

    @Test func distantTimesKeepTheirMicroseconds() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(TestStore.textQuestions)
            try await fixture.write((0..<6).map { WrittenText(text: "text \($0)", at: Self.times[0]) }, to: meeting)
            for (number, time) in ["0002-01-01 00:00:00.000001", "9996-12-31 23:59:59.999999"].enumerated() {
                try await fixture.store.pool.execute(
                    """
                    UPDATE submission SET submitted_at = (\(time)::text::timestamptz AT TIME ZONE 'UTC'
                        + right(answers->>'better', 1)::int * interval '1 microsecond') AT TIME ZONE 'UTC'
                    WHERE right(answers->>'better', 1)::int % 2 = \(number)
                    """)
            }
            for limit in 1...3 {
                let texts = try await fixture.walk(meeting, limit: limit).texts.map(\.text)
                #expect(texts == ["text 5", "text 3", "text 1", "text 4", "text 2", "text 0"], "\(limit)")
            }
            _ = try await fixture.store.verification.run(meeting: nil, repair: true) { _, _ in }
        }
    }
}
