import Domain
import Foundation
import Postgres
import StrictJSON
import TestSupport
import Testing

@testable import Store

/// A step returns fewer texts if they are long or its time is over. The next step continues where it ended.
@Suite(.timeLimit(.minutes(15))) struct StepsOfReading {
    private static let textKilobytes = 200

    private static func steps(
        _ fixture: TestStore, _ meeting: Meeting, _ question: TextQuestion, _ connection: Connection
    ) throws -> [any TextSteps] {
        let longAnswers = LongAnswers(question: question, bytes: TextBounds().longTextBytes, connection: connection)
        let answerKeys = try AnswerKeyDerivation(keys: fixture.keys).answerKeys(
            of: meeting.form.id, question: "better", keyNumber: 1)
        return [
            NewestTexts(question: question, long: longAnswers, connection: connection),
            TextsByID(question: question, long: longAnswers, connection: connection),
            ShuffledTexts(
                question: question, answerKeys: answerKeys, orders: ShuffledOrderCache(), smallestGroup: 4_096,
                largestGroup: 16_384, long: longAnswers, connection: connection),
        ]
    }

    @Test func longTextsAreReadInSmallChunks() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(TestStore.textQuestions)
            let text = String(repeating: "abcdefgh", count: Self.textKilobytes * 128)
            // Compressed, each text takes a few kilobytes. Five more submissions skip the question and have a long text
            // in their other answer.
            let count = 60
            try await fixture.write((0..<count).map { WrittenText(text: "\($0) " + text) }, to: meeting)
            try await fixture.write((0..<5).map { _ in WrittenText(text: text) }, to: meeting, question: "more")
            try await fixture.store.pool.transaction(isolation: .repeatableRead) { connection in
                let question = try await TextQuestion.read("better", of: meeting, on: connection)
                for steps in try Self.steps(fixture, meeting, question, connection) {
                    var (readIDs, position, stepCount): (Set<UUID>, TextPosition?, Int) = ([], nil, 0)
                    repeat {
                        let step = try await steps.take(4_096, after: position, of: TextFilter(), until: nil)
                        let bytes = step.texts.reduce(0) { $0 + $1.text.utf8.count }
                        #expect(bytes < 6 << 20 && step.texts.count < count / 2, "\(type(of: steps))")
                        #expect(readIDs.isDisjoint(with: step.texts.map(\.submissionID)))
                        readIDs.formUnion(step.texts.map(\.submissionID))
                        position = step.reached
                        stepCount += 1
                    } while position != nil && stepCount < 100
                    #expect(readIDs.count == count && stepCount < 20, "\(type(of: steps))")
                }
            }
        }
    }

    @Test func stepPastItsDeadlineReadsFewLongTexts() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(TestStore.textQuestions)
            let text = String(repeating: "abcdefgh", count: 1_000)
            try await fixture.write((0..<90).map { WrittenText(text: "\($0) " + text) }, to: meeting)
            try await fixture.store.pool.transaction(isolation: .repeatableRead) { connection in
                let question = try await TextQuestion.read("better", of: meeting, on: connection)
                for steps in try Self.steps(fixture, meeting, question, connection) {
                    let deadline = ContinuousClock.now - .seconds(1)
                    var (textCount, position, stepCount): (Int, TextPosition?, Int) = (0, nil, 0)
                    repeat {
                        let step = try await steps.take(4_096, after: position, of: TextFilter(), until: deadline)
                        // Finding the submissions with an answer takes two steps.
                        #expect(step.texts.count <= 8 && (step.processed > 0 || stepCount < 2))
                        textCount += step.texts.count
                        position = step.reached
                        stepCount += 1
                    } while position != nil && stepCount < 100
                    #expect(textCount == 90 && stepCount >= 12, "\(type(of: steps))")
                }
            }
        }
    }

    @Test func searchForAnOverlongCharacterIsRefused() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(TestStore.textQuestions)
            // This vowel sign extends a character as combining marks do, but may follow itself without limit.
            try await fixture.write([WrittenText(text: "e" + String(repeating: "\u{9BE}", count: 2_500))], to: meeting)
            func search(_ signs: Int) async throws -> Int {
                let query = "E" + String(repeating: "\u{9BE}", count: signs)
                return try await fixture.store.texts.list(
                    of: meeting, question: "better", containing: query, limit: 1
                ).items.count
            }
            #expect(try await search(1_999) == 1, "2,000 code units")
            let refused = try await problem { _ = try await search(2_000) }
            #expect(refused?.faults.map { "\($0.pointer) \($0.code)" } == ["?q too-long"])
        }
    }
}
