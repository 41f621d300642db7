import Domain
import Foundation
import Postgres

/// What a reading shows of an anonymous form that is open: how many submissions of which question sets.
struct ReleasedSnapshot: Sendable, Equatable {
    var shown: [Int: Int]
}

/// Keeps which states of open anonymous forms somebody saw, before they get to see them: filters of the closed form could
/// be compared with these (`docs/analysis.md`).
///
/// Every reading of shown counts goes through here, so that none is given out that is not kept. What was kept costs nothing
/// again; other forms never do.
final class ReleaseLog: Sendable {
    private let pool: Pool
    /// The newest state that is known to be kept of a form.
    private let kept = LRUCache<UUID, ReleasedSnapshot>(capacity: 2_000, maxBytes: 2 << 20)

    init(pool: Pool) { self.pool = pool }

    /// Reads until all that was read is kept: what a close has settled meanwhile is read again.
    ///
    /// - Parameter body: the value with what it shows, by form; outside of a transaction.
    func reading<Value>(_ body: () async throws -> (Value, [UUID: ReleasedSnapshot])) async throws -> Value {
        for _ in 0..<5 {
            let (value, glimpses) = try await body()
            if try await keep(glimpses) { return value }
        }
        throw Problem(.overloaded, "The form is being closed; try again.", retryAfter: 1)
    }

    /// False where something of it must not be shown any more.
    private func keep(_ glimpses: [UUID: ReleasedSnapshot]) async throws -> Bool {
        for (formID, glimpse) in glimpses.sorted(by: { $0.key < $1.key })
        where !glimpse.shown.isEmpty && kept.find(formID) != glimpse {
            let shown = glimpse.shown.sorted { $0.key < $1.key }
            let isKept = try await pool.query(
                "SELECT record_release(\(formID), \(shown.map { Int32($0.key) }), \(shown.map { Int64($0.value) }))"
            ).single().decode(Bool.self)
            guard isKept else { return false }
            kept.insert(glimpse, for: formID, bytes: 64 + 64 * shown.count)
        }
        return true
    }
}
