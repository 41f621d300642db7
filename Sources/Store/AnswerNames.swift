import Cryptography
import Foundation
import Postgres

/// What single answers of a question are called where their submission must not be told.
struct AnswerNames {
    let keys: KeyRing

    /// The name of the answer of `submission s`, as SQL: 32 hexadecimal digits, by which nobody can join two answers of
    /// one submission or find a submission whose id they know.
    ///
    /// Its key is of the secret file, the form and the question; not of the form's salt, which goes when the form
    /// becomes final.
    func name(of formID: UUID, question key: String, on connection: Connection) async throws -> Statement {
        let number = try await connection.query(
            "SELECT key_id FROM form_state WHERE form_id = \(formID)"
        ).found().decode(Int.self)
        let formKey = HKDF.sha256(
            key: try keys.key(number), salt: Array(formID.uuidString.lowercased().utf8),
            info: Array("afterword/1/answer".utf8), count: 32)
        let answerKey = HMACSHA256.authenticate(parts: [Array(key.utf8)], key: formKey)
        return "encode(substring(sha256(\(answerKey)::bytea || uuid_send(s.id)) FOR 16), 'hex')"
    }
}
