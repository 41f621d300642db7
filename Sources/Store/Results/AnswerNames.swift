import Cryptography
import Domain
import Foundation
import Postgres

/// What single answers of a question are called, and in which order they stand, where their submission must not be told.
///
/// The keys are of the secret file, the form and the question; not of the form's salt, which goes when the form becomes
/// final. So without that file nobody can join two answers of one submission, or find a submission whose id they know.
struct AnswerNames {
    let keys: KeyRing

    /// The place of the answer of `submission s` in its question's order, as SQL: 32 hexadecimal digits.
    func name(of formID: UUID, question key: String, on connection: Connection) async throws -> Statement {
        let number = try await connection.query(
            "SELECT key_id FROM form_state WHERE form_id = \(formID)"
        ).found().decode(Int.self)
        let names = try names(of: formID, question: key, keyNumber: number)
        return "encode(substring(sha256(\(names.orderKey)::bytea || uuid_send(s.id)) FOR 16), 'hex')"
    }

    func names(of formID: UUID, question key: String, keyNumber: Int) throws -> QuestionNames {
        func derive(_ info: String) throws -> [UInt8] {
            let formKey = HKDF.sha256(
                key: try keys.key(keyNumber), salt: Array(formID.lowercased.utf8), info: info)
            return HMACSHA256.authenticate(parts: [Array(key.utf8)], key: formKey)
        }
        return QuestionNames(
            orderKey: try derive("afterword/1/answer"),
            rounds: HMACSHA256(key: try derive("afterword/1/answer-id")))
    }
}

/// The names of one question's answers.
struct QuestionNames: Sendable {
    fileprivate let orderKey: [UInt8]
    fileprivate let rounds: HMACSHA256

    /// Where the answer of a submission stands among the others.
    func place(of submissionID: UUID) -> UInt128 {
        UInt128(bigEndianBytes: SHA256.hash(orderKey + submissionID.bytes))
    }

    /// The id of a submission's answer: a permutation of all ids under a key, so that its holder finds the submission
    /// again without reading any other.
    func answerID(of submissionID: UUID) -> UUID {
        var (left, right) = submissionID.halves
        for round in 0..<Self.count { (left, right) = (right, left ^ mix(right, round)) }
        return UUID(halves: left, right)
    }

    func submissionID(of answerID: UUID) -> UUID {
        var (left, right) = answerID.halves
        for round in (0..<Self.count).reversed() { (left, right) = (right ^ mix(left, round), left) }
        return UUID(halves: left, right)
    }

    /// Four rounds of a Feistel network over a keyed function (Luby and Rackoff, 1988).
    private static let count: UInt8 = 4

    private func mix(_ half: UInt64, _ round: UInt8) -> UInt64 {
        let bytes = withUnsafeBytes(of: half.bigEndian, Array.init)
        return rounds.authenticate([round] + bytes).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension UUID {
    /// As PostgreSQL compares ids.
    var number: UInt128 { UInt128(bigEndianBytes: bytes) }

    init(number: UInt128) {
        self = withUnsafeBytes(of: number.bigEndian) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    fileprivate var halves: (UInt64, UInt64) { (UInt64(number >> 64), UInt64(truncatingIfNeeded: number)) }

    fileprivate init(halves left: UInt64, _ right: UInt64) {
        self.init(number: UInt128(left) << 64 | UInt128(right))
    }
}

extension UInt128 {
    /// Of the first sixteen bytes.
    init(bigEndianBytes bytes: [UInt8]) { self = bytes.prefix(16).reduce(0) { $0 << 8 | UInt128($1) } }
}
