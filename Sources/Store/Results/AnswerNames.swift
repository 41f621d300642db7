import Cryptography
import Domain
import Foundation
import Postgres

/// The ids and the order of a question's single answers, for forms that must not reveal their submissions.
///
/// The keys derive from the secret file, the form and the question, not from the form's salt, which is deleted when the
/// form becomes final. Without the secret file, nobody can link two answers of one submission, or find a submission by
/// its id.
struct AnswerNames {
    let keys: KeyRing

    /// The position of the answer of `submission s` in its question's order, in SQL: 32 hexadecimal digits.
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

/// The ids of one question's answers.
struct QuestionNames: Sendable {
    fileprivate let orderKey: [UInt8]
    fileprivate let rounds: HMACSHA256

    /// The position of a submission's answer among the others.
    func place(of submissionID: UUID) -> UInt128 {
        UInt128(bigEndianBytes: SHA256.hash(orderKey + submissionID.bytes))
    }

    /// The id of a submission's answer: a keyed permutation of all ids, so that the holder of the key finds the
    /// submission without reading any other.
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

    /// A Feistel network of four rounds over a keyed function (Luby and Rackoff, 1988).
    private static let count: UInt8 = 4

    private func mix(_ half: UInt64, _ round: UInt8) -> UInt64 {
        let bytes = withUnsafeBytes(of: half.bigEndian, Array.init)
        return rounds.authenticate([round] + bytes).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension UUID {
    /// Compares ids as PostgreSQL does.
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
    /// Reads the first sixteen bytes.
    init(bigEndianBytes bytes: [UInt8]) { self = bytes.prefix(16).reduce(0) { $0 << 8 | UInt128($1) } }
}
