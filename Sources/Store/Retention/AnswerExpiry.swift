import Domain
import Foundation
import Logging
import Postgres
import StrictJSON

/// Deletes the answers to forms whose retention has ended. The counts stay.
///
/// First, one transaction makes the form final and marks its answers as expired. From then on, they are no longer read.
/// Then their rows are deleted in bounded transactions. A later run continues where an interrupted run stopped. Only
/// one instance at a time is in such a transaction, and the others leave the work to it.
struct AnswerExpiry: Sendable {
    /// The maximum number of rows that one transaction deletes.
    static let batchSize = 2_000
    /// The maximum number of forms that one query returns.
    private static let pageSize = 200

    private enum Outcome: Sendable {
        /// The answers of the form with this code have expired.
        case expired(code: String)
        /// There are more rows.
        case unfinished
        case done
        /// The form was changed meanwhile.
        case notDue
        /// Another instance is deleting.
        case busy
    }

    private struct OtherInstance: Error {}

    let pool: Pool
    let cache: FormCache
    let logger: Logger
    var batch = Self.batchSize

    /// Returns the number of forms whose remaining answers this call deleted. Throws the first server error only after
    /// it has tried every form.
    @discardableResult
    func run() async throws -> Int {
        var (finished, failures): (Int, [any Error]) = (0, [])
        do {
            for statement in [Self.due, Self.expired] {
                var last = UUID(number: 0)
                while true {
                    let ids = try await pool.query(statement(last)).map { row -> UUID in try row.decode(UUID.self) }
                    for id in ids {
                        do {
                            if try await process(id) { finished += 1 }
                        } catch let error as PostgresError where error.kind == .server && !error.isConnectionLost {
                            failures.append(error)
                        }
                    }
                    guard ids.count == Self.pageSize, let end = ids.last else { break }
                    last = end
                }
            }
        } catch is OtherInstance {
            return finished
        }
        if let first = failures.first { throw first }
        return finished
    }

    /// Selects forms whose retention has ended, with ids after this one.
    private static func due(after last: UUID) -> Statement {
        """
        SELECT fs.form_id FROM form_state fs JOIN form f ON f.id = fs.form_id JOIN meeting m ON m.id = f.meeting_id
            JOIN series s ON s.id = m.series_id
        WHERE fs.form_id > \(last) AND \(fragment: FormRetention.isDue) ORDER BY fs.form_id LIMIT \(pageSize)
        """
    }

    /// Selects forms whose rows are still being deleted, with ids after this one.
    private static func expired(after last: UUID) -> Statement {
        """
        SELECT form_id FROM form_state
        WHERE form_id > \(last) AND answers_expired_at IS NOT NULL AND answers_deleted_at IS NULL
        ORDER BY form_id LIMIT \(pageSize)
        """
    }

    /// Expires the answers if they are due, and deletes their rows. Returns whether all rows were deleted.
    private func process(_ id: UUID) async throws -> Bool {
        var (outcome, rows) = try await transaction { (try await expire(id, on: $0), 0) }
        while true {
            switch outcome {
            case .notDue: return false
            case .busy: throw OtherInstance()
            case .expired(let code): cache.forget(code)
            case .unfinished: break
            case .done:
                logger.notice(
                    "The answers to a form were deleted at the end of their retention",
                    metadata: ["form": "\(id)", "rows": "\(rows)"])
                return true
            }
            let (next, deleted) = try await transaction { try await delete(id, on: $0) }
            outcome = next
            rows += deleted
        }
    }

    /// Runs one of the bounded transactions, unless another instance is in one.
    private func transaction(
        _ body: @Sendable (Connection) async throws -> (Outcome, Int)
    ) async throws -> (Outcome, Int) {
        try await pool.transaction { connection in
            // A form that is locked for longer is tried again in the next run.
            try await connection.execute("SET LOCAL lock_timeout = '5s'")
            let lock = try await connection.query("SELECT pg_try_advisory_xact_lock(hashtext('afterword/retention'))")
            guard try lock.single().decode(Bool.self) else { return (.busy, 0) }
            return try await body(connection)
        }
    }

    /// Makes the form final and marks its answers as expired, if they are still due when checked under the form's
    /// locks.
    private func expire(_ id: UUID, on connection: Connection) async throws -> Outcome {
        let found = try await connection.query(
            """
            SELECT s.owner_id FROM form f JOIN meeting m ON m.id = f.meeting_id JOIN series s ON s.id = m.series_id
            WHERE f.id = \(id) FOR UPDATE OF f
            """)
        guard let ownerID = try found.first?.decode(UUID.self) else { return .notDue }
        try await connection.query("SELECT 1 FROM form_state WHERE form_id = \(id) FOR UPDATE")
        let state = try await connection.query(
            """
            SELECT fs.answers_expired_at IS NOT NULL, coalesce(\(fragment: FormRetention.isDue), false)
            FROM form_state fs JOIN form f ON f.id = fs.form_id JOIN meeting m ON m.id = f.meeting_id
                JOIN series s ON s.id = m.series_id WHERE fs.form_id = \(id)
            """)
        let (isExpired, isDue) = try state.single().decode(Bool.self, Bool.self)
        if isExpired { return .unfinished }
        guard isDue else { return .notDue }
        let form = try Form.read(await connection.query(Form.select + "\nWHERE f.id = \(id)").single())
        // Nil for a form in the trash, whose close was recorded when the meeting was moved there.
        let status = try await FormStatus.lock(id, on: connection)
        try await Audit.record(
            "answers.delete", of: id, by: ownerID,
            detail: .object([.init("automatic", .bool(true)), .init("submissions", JSONValue(form.submissions))]),
            on: connection)
        try await Decisions.clear(ofForm: id, on: connection)
        if form.life.isFinished {
            try await connection.execute(
                "UPDATE form SET revision = revision + 1, updated_at = now() WHERE id = \(id)")
        } else {
            try await Forms.finish(form, on: connection)
        }
        try await connection.execute(
            """
            UPDATE form_state SET answers_expired_at = \(form.now), revision = revision + 1 WHERE form_id = \(id)
            """)
        // Without the salt, no id can be derived from a receipt, key or person.
        try await connection.execute("DELETE FROM form_salt WHERE form_id = \(id)")
        try await status?.settle(on: connection)
        if status == nil { try await connection.query(IngestStatement.notification(id)) }
        return .expired(code: form.code)
    }

    /// Deletes some rows of an expired form, in the order of their ids.
    private func delete(_ id: UUID, on connection: Connection) async throws -> (Outcome, Int) {
        let locked = try await connection.query(
            """
            SELECT clock_timestamp() FROM form_state
            WHERE form_id = \(id) AND answers_expired_at IS NOT NULL AND answers_deleted_at IS NULL FOR UPDATE
            """)
        guard let now = try locked.first?.decode(Date.self) else { return (.notDue, 0) }
        let last = try await connection.query(
            "SELECT id FROM submission WHERE form_id = \(id) ORDER BY id LIMIT 1 OFFSET \(batch - 1)")
        if let last = try last.first?.decode(UUID.self) {
            let rows = try await connection.execute("DELETE FROM submission WHERE form_id = \(id) AND id <= \(last)")
            return (.unfinished, rows)
        }
        let rows = try await connection.execute("DELETE FROM submission WHERE form_id = \(id)")
        try await connection.execute("UPDATE form_state SET answers_deleted_at = \(now) WHERE form_id = \(id)")
        return (.done, rows)
    }
}
