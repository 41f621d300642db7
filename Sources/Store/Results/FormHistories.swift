import Domain
import Foundation
import Postgres

/// The changes between the published versions of forms. They are cached, because results are read much more often than
/// versions are published.
public final class FormHistories: Sendable {
    public struct Changes: Sendable, Equatable {
        /// The changes, the oldest first.
        public var list: [QuestionChange] = []
        /// Whether there are older changes that `list` does not contain.
        public var isTruncated = false
    }

    /// The maximum number of versions that are compared. A host can publish any number.
    private static let maxVersions = FormHistory.maximumCount + 1
    /// The maximum size of the definitions of these versions, as JSON. The two newest are always compared.
    private static let maxBytes = 4 << 20

    private let pool: Pool
    /// A change may contain two descriptions of thousands of bytes each, so the cache is limited by size too.
    private let cache = LRUCache<UUID, (version: Int, changes: Changes)>(capacity: 1_000, maxBytes: 16 << 20)

    init(pool: Pool) {
        self.pool = pool
    }

    /// Returns the changes up to the published version `version`, which is never edited.
    func changes(of formID: UUID, upTo version: Int) async throws -> Changes {
        guard version > 1 else { return Changes() }
        if let found = cache.find(formID), found.version == version { return found.changes }
        let changes = try await read(formID, version)
        cache.insert((version, changes), for: formID, bytes: changes.bytes) { $0.version <= version }
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
                WHERE fv.form_id = \(formID) AND fv.version <= \(version) AND fv.version > \(version - Self.maxVersions)
            ) v
            WHERE v.bytes <= \(Self.maxBytes) OR v.version >= \(version - 1)
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
        return history.map { Changes(list: $0.changes, isTruncated: $0.isTruncated) } ?? Changes()
    }
}

extension FormHistories.Changes {
    /// The approximate size in memory, in bytes.
    var bytes: Int {
        list.reduce(0) { bytes, change in
            let texts = [change.key, change.option, change.from, change.to]
            return texts.reduce(bytes + MemoryLayout<QuestionChange>.stride) { $0 + ($1?.utf8.count ?? 0) }
        }
    }
}
