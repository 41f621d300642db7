import Domain
import Foundation
import Postgres
import StrictJSON

extension TextAnswers {
    /// Hides a text from pages and exports, or shows it again; counts do not change. Repeating the call changes
    /// nothing.
    ///
    /// A hidden text stays hidden when its author corrects it. Throws 404 for an answer that does not belong to this
    /// question. Throws 409 if an anonymous form becomes final during the call, because its answers then get new ids.
    /// (The answer is looked up before the form is locked.)
    public func setHidden(
        _ hidden: Bool, answer answerID: UUID, question key: String, of meeting: Meeting, by accountID: UUID
    ) async throws {
        try await changeText(answerID, question: key, of: meeting) { submissionID, connection in
            let formID = meeting.form.id
            let rows = try await connection.query(
                """
                SELECT \(key) = ANY (coalesce(s.hidden, '{}')) FROM submission s
                WHERE s.form_id = \(formID) AND s.id = \(submissionID)
                """)
            guard try rows.requireFirst().decode(Bool.self) != hidden else { return }
            let change: Statement =
                hidden ? "array_append(hidden, \(key))" : "nullif(array_remove(hidden, \(key)), '{}')"
            try await connection.execute(
                """
                UPDATE submission SET hidden = \(fragment: change) WHERE form_id = \(formID) AND id = \(submissionID)
                """)
            try await connection.execute("UPDATE form_state SET revision = revision + 1 WHERE form_id = \(formID)")
            try await Audit.record(
                hidden ? "answer.hide" : "answer.unhide", of: meeting.id, by: accountID,
                detail: Self.auditDetail(answerID, question: key, of: meeting), on: connection)
            try await connection.query(IngestStatement.notification(formID))
        }
    }

    /// The audit trail is permanent, so it does not contain the answer's id if the form is anonymous.
    static func auditDetail(_ answerID: UUID, question key: String, of meeting: Meeting) -> JSONValue {
        var detail = [JSONValue.Member("question", .string(key))]
        if !meeting.form.anonymous { detail.append(.init("answer", .string(answerID.lowercased))) }
        return .object(detail)
    }

    /// Runs `body` with the submission of a text, under the lock of its form. Throws 404 for an answer that does not
    /// belong to this question, and 409 if an anonymous form becomes final during the call, because its answers then
    /// get new ids. (The answer is looked up before the form is locked.)
    func changeText(
        _ answerID: UUID, question key: String, of meeting: Meeting,
        _ body: @escaping @Sendable (UUID, Connection) async throws -> Void
    ) async throws {
        let formID = meeting.form.id
        let (submissionID, question) = try await reading(for: .host) { connection in
            let question = try await TextQuestion.read(key, of: meeting, on: connection)
            try await Self.requireVisible(in: meeting, on: connection)
            let answerKeys = try AnswerKeyDerivation(keys: keys).answerKeys(
                of: formID, question: key, keyNumber: question.keyNumber)
            let id = question.anonymous ? answerKeys.submissionID(of: answerID) : answerID
            let rows = try await connection.query(
                """
                SELECT s.id FROM submission s
                WHERE s.form_id = \(formID) AND s.id = \(id) AND NOT s.withdrawn AND \(fragment: question.text) IS NOT NULL
                """)
            return (try rows.requireFirst().decode(UUID.self), question)
        }
        try await pool.transaction(inTurn: false) { connection in
            try await Self.lock(formID, on: connection)
            let rows = try await connection.query(
                """
                SELECT 1 FROM submission s
                WHERE s.form_id = \(formID) AND s.id = \(submissionID) AND NOT s.withdrawn
                    AND \(fragment: question.text) IS NOT NULL
                """)
            if rows.isEmpty, meeting.form.anonymous, question.hasSalt, try await !Self.hasSalt(formID, on: connection) {
                throw Problem(.formFinal, "The ids of the answers have just changed; read the answers again.")
            }
            guard !rows.isEmpty else { throw Problem(.notFound) }
            try await body(submissionID, connection)
        }
    }

    /// Releases this question's texts to everyone who may see the results, or withholds them again. Repeating the call
    /// changes nothing. Throws 404 for a choice, whose own answers are for hosts only.
    public func setReleased(
        _ released: Bool, question key: String, of meeting: Meeting, by accountID: UUID
    ) async throws {
        try await pool.withConnection { connection in
            let question = try await TextQuestion.read(key, of: meeting, on: connection)
            guard !question.isChoice else {
                throw Problem(.notFound, "Own answers to a choice are for hosts only.")
            }
            // Texts can be withheld in any state.
            if released { try await Self.requireVisible(in: meeting, on: connection) }
        }
        let formID = meeting.form.id
        let change: Statement =
            released ? "array_append(released, \(key))" : "nullif(array_remove(released, \(key)), '{}')"
        try await pool.transaction(inTurn: false) { connection in
            try await Self.lock(formID, on: connection)
            let changed = try await connection.execute(
                """
                UPDATE form_state SET released = \(fragment: change), revision = revision + 1
                WHERE form_id = \(formID) AND \(key) = ANY (coalesce(released, '{}')) <> \(released)
                """)
            guard changed == 1 else { return }
            try await Audit.record(
                released ? "answers.release" : "answers.withhold", of: meeting.id, by: accountID,
                detail: .object([.init("question", .string(key))]), on: connection)
            try await connection.query(IngestStatement.notification(formID))
        }
    }

    private static func hasSalt(_ formID: UUID, on connection: Connection) async throws -> Bool {
        try await !connection.query("SELECT 1 FROM form_salt WHERE form_id = \(formID)").isEmpty
    }

    private static func lock(_ formID: UUID, on connection: Connection) async throws {
        let rows = try await connection.query("SELECT trashed FROM form_state WHERE form_id = \(formID) FOR UPDATE")
        guard try !rows.requireFirst().decode(Bool.self) else { throw Problem(.notFound) }
    }
}
