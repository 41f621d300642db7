import Domain
import Foundation
import Postgres

/// Remembers the ids of forms by code and by meeting, which never change.
///
/// On a Citus cluster, a statement with a form's id is sent only to the worker that has the form. It is then not
/// affected by the other workers, of which one may be down.
final class FormIDs: Sendable {
    enum Key: Hashable {
        case code(String)
        case joinCode(String)
        case meeting(UUID)

        init(_ code: ParticipantCode) { self = code.isJoinCode ? .joinCode(code.text) : .code(code.text) }

        /// A condition on `form f`.
        fileprivate var condition: Statement {
            switch self {
            case .code(let code): "f.code = \(code)"
            case .joinCode(let code): "f.join_code = \(code)"
            case .meeting(let id): "f.meeting_id = \(id)"
            }
        }
    }

    private let pool: Pool
    private let known: LRUCache<Key, UUID>

    init(pool: Pool, capacity: Int) {
        self.pool = pool
        known = LRUCache(capacity: capacity, maxBytes: .max)
    }

    /// Returns the first row that `read` returns for the form's id. Throws 404 if there is no such form, or no row.
    ///
    /// - Parameter read: Reads the form. Its statement must contain the key too, because the form may have been
    ///   deleted, and a join code may have been given to another form.
    func row(of key: Key, _ read: (UUID) async throws -> Rows) async throws -> Row {
        if let row = try await read(try await id(of: key)).first { return row }
        known.remove(key)
        throw Problem(.notFound)
    }

    private func id(of key: Key) async throws -> UUID {
        if let id = known.find(key) { return id }
        let rows = try await pool.query("SELECT f.id FROM form f WHERE \(fragment: key.condition)")
        let id = try rows.requireFirst().decode(UUID.self)
        known.insert(id, for: key, bytes: 0)
        return id
    }
}
