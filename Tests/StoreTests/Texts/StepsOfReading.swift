import Domain
import Foundation
import Postgres
import StrictJSON
import TestSupport
import Testing

@testable import Store

/// A step reads a limited part of the texts, whatever they are, and the next one continues after it.
@Suite(.timeLimit(.minutes(15))) struct StepsOfReading {
    private static let kilobytes = 200

    private static func steps(
        _ fixture: TestStore, _ meeting: Meeting, _ question: TextQuestion, _ connection: Connection
    ) throws -> [any TextSteps] {
        let long = LongAnswers(question: question, bytes: TextBounds().bytes, connection: connection)
        let names = try AnswerNames(keys: fixture.keys).names(of: meeting.form.id, question: "better", keyNumber: 1)
        return [
            NewestTexts(question: question, long: long, connection: connection),
            TextsByID(question: question, long: long, connection: connection),
            ShuffledTexts(
                question: question, names: names, orders: AnswerOrders(), group: 4_096,
                largestGroup: 16_384, long: long, connection: connection),
        ]
    }

    @Test func longTextsAreReadInSmallChunks() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(TestStore.textQuestions)
            let text = String(repeating: "abcdefgh", count: Self.kilobytes * 128)
            // Compressed, each has a few kilobytes; half of the others have the same length only in their other answer.
            let count = 60
            try await fixture.write((0..<count).map { WrittenText(text: "\($0) " + text) }, to: meeting)
            try await fixture.write((0..<5).map { _ in WrittenText(text: text) }, to: meeting, question: "more")
            try await fixture.store.pool.transaction(isolation: .repeatableRead) { connection in
                let question = try await TextQuestion.read("better", of: meeting, on: connection)
                for steps in try Self.steps(fixture, meeting, question, connection) {
                    var (seen, position, taken): (Set<UUID>, TextPosition?, Int) = ([], nil, 0)
                    repeat {
                        let step = try await steps.take(4_096, after: position, hidden: false, until: nil)
                        let bytes = step.texts.reduce(0) { $0 + $1.text.utf8.count }
                        #expect(bytes < 6 << 20 && step.texts.count < count / 2, "\(type(of: steps))")
                        #expect(seen.isDisjoint(with: step.texts.map(\.submissionID)))
                        seen.formUnion(step.texts.map(\.submissionID))
                        position = step.reached
                        taken += 1
                    } while position != nil && taken < 100
                    #expect(seen.count == count && taken < 20, "\(type(of: steps))")
                }
            }
        }
    }

    @Test func stepEndsWithinLongTextsWhenItsTimeIsOver() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(TestStore.textQuestions)
            let text = String(repeating: "abcdefgh", count: 1_000)
            try await fixture.write((0..<90).map { WrittenText(text: "\($0) " + text) }, to: meeting)
            try await fixture.store.pool.transaction(isolation: .repeatableRead) { connection in
                let question = try await TextQuestion.read("better", of: meeting, on: connection)
                for steps in try Self.steps(fixture, meeting, question, connection) {
                    let over = ContinuousClock.now - .seconds(1)
                    var (seen, position, taken): (Int, TextPosition?, Int) = (0, nil, 0)
                    repeat {
                        let step = try await steps.take(4_096, after: position, hidden: false, until: over)
                        // Finding the submissions with an answer takes two steps.
                        #expect(step.texts.count <= 8 && (step.looked > 0 || taken < 2))
                        seen += step.texts.count
                        position = step.reached
                        taken += 1
                    } while position != nil && taken < 100
                    #expect(seen == 90 && taken >= 12, "\(type(of: steps))")
                }
            }
        }
    }

    @Test func overlongCharactersAreNotSearched() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(TestStore.textQuestions)
            try await fixture.write([WrittenText(text: "e" + String(repeating: "\u{301}", count: 2_500))], to: meeting)
            func search(_ marks: Int) async throws -> Int {
                let words = "E" + String(repeating: "\u{301}", count: marks)
                return try await fixture.store.texts.list(
                    of: meeting, question: "better", containing: words, limit: 1
                ).items.count
            }
            #expect(try await search(2_000) == 1, "an é of 2,000 units")
            let refused = try await problem { _ = try await search(2_001) }
            #expect(refused?.faults.map { "\($0.pointer) \($0.code)" } == ["?q too-long"])
        }
    }
}
