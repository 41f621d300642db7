import Domain
import Foundation
import Postgres

/// The released counts of an open anonymous form at the time of one read.
struct ReleasedSnapshot: Sendable, Equatable {
    /// The number of submissions shown, by question set.
    var shown: [Int: Int]
}

/// Records which released counts of open anonymous forms are read, before the reader receives them, because filtered
/// results of the closed form could be compared with them (`docs/analysis.md`).
///
/// Every read of released counts goes through here, so that no counts are returned unrecorded. Counts that equal the
/// last recorded ones, and other kinds of forms, cost no statement.
final class ReleaseLog: Sendable {
    private let pool: Pool
    /// The last recorded snapshot of each form.
    private let recorded = LRUCache<UUID, ReleasedSnapshot>(capacity: 2_000, maxBytes: 2 << 20)

    init(pool: Pool) { self.pool = pool }

    /// Runs `body`, records the snapshots that it read, and returns its value. If a form was settled in the meantime,
    /// so that its snapshot can't be recorded any more, runs `body` again.
    func recordingReads<Value>(_ body: () async throws -> (Value, [UUID: ReleasedSnapshot])) async throws -> Value {
        for _ in 0..<5 {
            let (value, snapshots) = try await body()
            if try await record(snapshots) { return value }
        }
        throw Problem(.overloaded, "The form is being closed; try again.", retryAfter: 1)
    }

    /// Returns false if a snapshot must no longer be shown.
    private func record(_ snapshots: [UUID: ReleasedSnapshot]) async throws -> Bool {
        for (formID, snapshot) in snapshots.sorted(by: { $0.key < $1.key })
        where !snapshot.shown.isEmpty && recorded.find(formID) != snapshot {
            let shown = snapshot.shown.sorted { $0.key < $1.key }
            let isRecorded = try await pool.query(
                "SELECT record_release(\(formID), \(shown.map { Int32($0.key) }), \(shown.map { Int64($0.value) }))"
            ).single().decode(Bool.self)
            guard isRecorded else { return false }
            recorded.insert(snapshot, for: formID, bytes: 64 + 64 * shown.count)
        }
        return true
    }
}
