import Domain
import Foundation
import Postgres

/// The changes between published versions of forms, computed once for each new version rather than for each submission.
public final class FormHistories: Sendable {
    public struct Changes: Sendable, Equatable {
        /// Oldest first.
        public var list: [QuestionChange] = []
        /// Whether older changes exist.
        public var isCut = false
    }

    /// Limits for versions and for the bytes of their definitions, because a host can create any number.
    private static let versions = FormHistory.kept + 1
    private static let bytes = 4 << 20

    private let pool: Pool
    /// A change may contain two descriptions of thousands of bytes each, so the bytes are limited too.
    private let known = LRUCache<UUID, (version: Int, changes: Changes)>(capacity: 1_000, maxBytes: 16 << 20)

    init(pool: Pool) {
        self.pool = pool
    }

    /// Returns the changes up to a published `version`; they never change again.
    func changes(of formID: UUID, upTo version: Int) async throws -> Changes {
        guard version > 1 else { return Changes() }
        if let found = known.find(formID), found.version == version { return found.changes }
        let changes = try await read(formID, version)
        known.insert((version, changes), for: formID, bytes: changes.bytes) { $0.version <= version }
        return changes
    }

    private func read(_ formID: UUID, _ version: Int) async throws -> Changes {
        let rows = try await pool.query(
            """
            SELECT v.version, v.published_at, v.definition,
                ARRAY(SELECT q.key FROM question q WHERE q.form_id = \(formID) AND q.first_version < v.version)
            FROM (
                SELECT fv.version, fv.published_at, fv.definition,
                    sum(octet_length(fv.definition::text)) OVER (ORDER BY fv.version DESC) AS bytes
                FROM form_version fv
                WHERE fv.form_id = \(formID) AND fv.version <= \(version) AND fv.version > \(version - Self.versions)
            ) v
            WHERE v.bytes <= \(Self.bytes) OR v.version >= \(version - 1)
            ORDER BY v.version
            """)
        var history: FormHistory?
        for row in rows {
            let (number, at, stored, earlier) = try row.decode(Int.self, Date.self, String.self, [String].self)
            let definition = try FormDefinition(json: StoredJSON.parse(stored))
            guard history != nil else {
                history = FormHistory(version: number, definition: definition, earlier: Set(earlier))
                continue
            }
            history?.publish(definition, version: number, at: at)
        }
        return history.map { Changes(list: $0.changes, isCut: $0.isCut) } ?? Changes()
    }
}

extension FormHistories.Changes {
    /// The approximate size in memory.
    var bytes: Int {
        list.reduce(0) { bytes, change in
            let texts = [change.key, change.option, change.from, change.to]
            return texts.reduce(bytes + MemoryLayout<QuestionChange>.stride) { $0 + ($1?.utf8.count ?? 0) }
        }
    }
}
