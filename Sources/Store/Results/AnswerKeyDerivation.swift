import Cryptography
import Domain
import Foundation
import Postgres

/// Derives the keys that determine the ids and the order of individual answers to one question. They are used for forms
/// that must not reveal which answers belong to the same submission.
///
/// The keys are derived from the secret file, the form and the question, not from the form's salt, because the salt is
/// deleted when the form becomes final. Without the secret file, nobody can link two answers of one submission, or find
/// a submission by the id of an answer.
struct AnswerKeyDerivation {
    let keys: KeyRing

    /// Returns an SQL expression for the position of the answer of `submission s`: 32 hexadecimal digits.
    func position(of formID: UUID, question key: String, on connection: Connection) async throws -> Statement {
        let number = try await connection.query(
            "SELECT key_id FROM form_state WHERE form_id = \(formID)"
        ).requireFirst().decode(Int.self)
        let answerKeys = try answerKeys(of: formID, question: key, keyNumber: number)
        return "encode(substring(sha256(\(answerKeys.orderKey)::bytea || uuid_send(s.id)) FOR 16), 'hex')"
    }

    func answerKeys(of formID: UUID, question key: String, keyNumber: Int) throws -> AnswerKeys {
        func derive(_ info: String) throws -> [UInt8] {
            let formKey = HKDF.sha256(
                key: try keys.key(keyNumber), salt: Array(formID.lowercased.utf8), info: info)
            return HMACSHA256.authenticate(parts: [Array(key.utf8)], key: formKey)
        }
        return AnswerKeys(
            orderKey: try derive("afterword/1/answer"),
            roundFunction: HMACSHA256(key: try derive("afterword/1/answer-id")))
    }
}

/// The keys that determine the ids and the order of the answers to one question.
struct AnswerKeys: Sendable {
    fileprivate let orderKey: [UInt8]
    fileprivate let roundFunction: HMACSHA256

    /// The position of a submission's answer in the order of the question.
    func position(of submissionID: UUID) -> UInt128 {
        UInt128(bigEndianBytes: SHA256.hash(orderKey + submissionID.bytes))
    }

    /// The id of a submission's answer. It is a keyed permutation of the submission's id, so that the holder of the key
    /// can compute one id from the other.
    func answerID(of submissionID: UUID) -> UUID {
        var (left, right) = submissionID.halves
        for round in 0..<Self.roundCount { (left, right) = (right, left ^ mix(right, round)) }
        return UUID(halves: left, right)
    }

    func submissionID(of answerID: UUID) -> UUID {
        var (left, right) = answerID.halves
        for round in (0..<Self.roundCount).reversed() { (left, right) = (right ^ mix(left, round), left) }
        return UUID(halves: left, right)
    }

    /// The permutation is a Feistel network of four rounds over a keyed function (Luby and Rackoff, 1988).
    private static let roundCount: UInt8 = 4

    private func mix(_ half: UInt64, _ round: UInt8) -> UInt64 {
        let bytes = withUnsafeBytes(of: half.bigEndian, Array.init)
        return roundFunction.authenticate([round] + bytes).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension UUID {
    fileprivate var halves: (UInt64, UInt64) { (UInt64(number >> 64), UInt64(truncatingIfNeeded: number)) }

    fileprivate init(halves left: UInt64, _ right: UInt64) {
        self.init(number: UInt128(left) << 64 | UInt128(right))
    }
}
