import Cryptography
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Store

@Suite struct AnswerIDs {
    private static func answerKeys(
        _ key: String = "better", form: UUID = UUID(), secret: [UInt8] = [UInt8](repeating: 7, count: 32)
    ) throws -> AnswerKeys {
        let keys = try #require(KeyRing(keys: [1: secret]))
        return try AnswerKeyDerivation(keys: keys).answerKeys(of: form, question: key, keyNumber: 1)
    }

    @Test func idIsDecodedWithItsOwnKeyOnly() throws {
        let form = UUID()
        let (better, more) = (try Self.answerKeys(form: form), try Self.answerKeys("more", form: form))
        let elsewhere = try Self.answerKeys()
        var answerIDs: Set<UUID> = []
        for _ in 1...500 {
            let id = UUID()
            let answer = better.answerID(of: id)
            #expect(better.submissionID(of: answer) == id && answer != id)
            #expect(more.answerID(of: id) != answer && elsewhere.answerID(of: id) != answer)
            #expect(more.submissionID(of: answer) != id)
            answerIDs.insert(answer)
        }
        #expect(answerIDs.count == 500)
        for edge in [UUID(number: 0), UUID(number: .max)] {
            #expect(better.submissionID(of: better.answerID(of: edge)) == edge)
        }
    }

    @Test func positionsInSwiftAndSQLAreEqual() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(TestStore.textQuestions)
            try await fixture.write((0..<30).map { WrittenText(text: "text \($0)") }, to: meeting)
            let (order, answerKeys) = try await fixture.store.pool.withConnection { connection in
                let keys = AnswerKeyDerivation(keys: fixture.keys)
                return (
                    try await keys.position(of: meeting.form.id, question: "better", on: connection),
                    try keys.answerKeys(of: meeting.form.id, question: "better", keyNumber: 1)
                )
            }
            let rows = try await fixture.store.pool.query(
                "SELECT s.id, \(fragment: order) FROM submission s WHERE s.form_id = \(meeting.form.id)")
            for row in rows {
                let (id, position) = try row.decode(UUID.self, String.self)
                let hexadecimal = String(answerKeys.position(of: id), radix: 16)
                #expect(String(repeating: "0", count: 32 - hexadecimal.count) + hexadecimal == position)
            }
            #expect(rows.count == 30)
        }
    }

    @Test func groupsPartitionTheIdsWithoutGapOrOverlap() {
        for bits: UInt8 in [0, 1, 3, 40] {
            var next: UInt128? = 0
            for group in 0..<min(UInt64(1) << bits, 8) {
                let key = ShuffledOrderCache.Key(
                    formID: UUID(), question: "q", group: group, bits: bits, hasSalt: true)
                #expect(key.ids.first.number == next)
                next = key.ids.last.number == .max ? nil : key.ids.last.number + 1
            }
            if bits < 4 { #expect(next == nil, "the last group ends with the last id") }
        }
    }
}
