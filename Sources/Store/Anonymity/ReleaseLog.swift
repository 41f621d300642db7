import Domain
import Foundation
import Postgres

/// The state of an open anonymous form that a reading shows: the number of submissions of each question set.
struct ReleasedSnapshot: Sendable, Equatable {
    var shown: [Int: Int]
}

/// Records which released states of open anonymous forms are read, before the reader receives them, because filters of
/// the closed form could be compared with them (`docs/analysis.md`).
///
/// Every reading of released counts goes through here, so that none is returned unrecorded. States that are already
/// recorded, and other kinds of forms, cost no statement.
final class ReleaseLog: Sendable {
    private let pool: Pool
    /// The newest state of a form that is known to be recorded.
    private let kept = LRUCache<UUID, ReleasedSnapshot>(capacity: 2_000, maxBytes: 2 << 20)

    init(pool: Pool) { self.pool = pool }

    /// Repeats the reading until its states are recorded, because a close may settle a form in the meantime.
    func reading<Value>(_ body: () async throws -> (Value, [UUID: ReleasedSnapshot])) async throws -> Value {
        for _ in 0..<5 {
            let (value, snapshots) = try await body()
            if try await keep(snapshots) { return value }
        }
        throw Problem(.overloaded, "The form is being closed; try again.", retryAfter: 1)
    }

    /// Returns false if a state must no longer be shown.
    private func keep(_ snapshots: [UUID: ReleasedSnapshot]) async throws -> Bool {
        for (formID, snapshot) in snapshots.sorted(by: { $0.key < $1.key })
        where !snapshot.shown.isEmpty && kept.find(formID) != snapshot {
            let shown = snapshot.shown.sorted { $0.key < $1.key }
            let isKept = try await pool.query(
                "SELECT record_release(\(formID), \(shown.map { Int32($0.key) }), \(shown.map { Int64($0.value) }))"
            ).single().decode(Bool.self)
            guard isKept else { return false }
            kept.insert(snapshot, for: formID, bytes: 64 + 64 * shown.count)
        }
        return true
    }
}
