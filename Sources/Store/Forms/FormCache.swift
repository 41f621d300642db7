import Domain
import Foundation
import Postgres
import StrictJSON

/// A cache of forms by code and of their published versions by number, for the hot path.
///
/// A version never changes, so it is cached as long as there is capacity. Facts are loaded again after a second,
/// because another instance may have published a new version. An action on this instance removes them immediately.
/// While they are being loaded again, the old ones are used for one more second, so that requests do not wait once a
/// second. Concurrent misses of the same entry share one statement. The database decides whether a submission is
/// accepted, never the cache.
public final class FormCache: Sendable {
    private struct VersionKey: Hashable {
        var formID: UUID
        var version: Int
    }

    private struct LoadedVersion: Sendable {
        var form: PreparedForm
        /// The approximate size in memory, about six times that of its JSON text.
        var bytes: Int
    }

    /// The age at which facts are loaded again.
    private static let factsLifetime: Duration = .seconds(1)
    /// The age at which facts are no longer used.
    private static let staleLifetime: Duration = .seconds(2)

    private let facts: LRUCache<String, (facts: FormFacts, at: ContinuousClock.Instant)>
    private let versions: LRUCache<VersionKey, PreparedForm>
    let ids: FormIDs
    private let factLoads = SingleFlight<String, FormFacts>()
    private let versionLoads = SingleFlight<VersionKey, LoadedVersion?>()
    private let pool: Pool
    private let keys: KeyRing
    private let now: @Sendable () -> ContinuousClock.Instant

    /// - Parameters:
    ///   - capacity: The maximum number of entries of each kind.
    ///   - maxVersionBytes: The maximum size of all versions together. Anyone may ask for an old version of a form.
    ///   - now: The clock by which facts expire.
    init(
        pool: Pool, keys: KeyRing, capacity: Int = 2_000, maxVersionBytes: Int = 64 << 20,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.pool = pool
        self.keys = keys
        self.now = now
        facts = LRUCache(capacity: capacity, maxBytes: .max)
        versions = LRUCache(capacity: capacity, maxBytes: maxVersionBytes)
        ids = FormIDs(pool: pool, capacity: 2 * capacity)
    }

    /// Returns the facts of a form. Throws 404 for an unknown code, or if the meeting was in the trash when the facts
    /// were loaded.
    func facts(code: String) async throws -> FormFacts {
        if let cached = cached(code: code) { return cached }
        let (outcome, isShared) = await loadOnce(code: code)
        if case .success(let facts) = outcome, facts.version > 0 { return facts }
        guard isShared else { return try outcome.get() }
        // The shared load may have started before another instance published or restored the form, so start a new one.
        return try await loadOnce(code: code).outcome.get()
    }

    private func loadOnce(code: String) async -> SingleFlight<String, FormFacts>.LoadResult {
        await factLoads.value(for: code, storing: storing(code), load: { try await self.load(code: code) })
    }

    /// Returns a closure that stores loaded facts. Their age is measured from this call, just before the load starts.
    private func storing(_ code: String) -> @Sendable (FormFacts) -> Void {
        let start = now()
        return { [facts] loaded in facts.insert((loaded, start), for: code, bytes: 0) }
    }

    /// Returns the facts of a published form, if they are cached and have not expired.
    func cached(code: String) -> FormFacts? {
        guard let cached = facts.find(code) else { return nil }
        let age = now() - cached.at
        // A draft is always loaded again, because another instance may publish it at any time. With cached facts,
        // participants would be rejected for up to two seconds.
        guard cached.facts.version > 0, age < Self.staleLifetime else { return nil }
        if age >= Self.factsLifetime {
            factLoads.refresh(code, storing: storing(code), load: { try await self.load(code: code) })
        }
        return cached.facts
    }

    /// Returns a published version's questions, if they are cached.
    func cached(version: Int, of formID: UUID) -> PreparedForm? {
        versions.find(VersionKey(formID: formID, version: version))
    }

    /// Returns a published version's questions; nil if there is no such version.
    ///
    /// - Parameter connection: The connection of the caller's transaction, if it has one. Transactions that wait for a
    ///   second connection could block each other.
    func version(_ version: Int, of formID: UUID, on connection: Connection? = nil) async throws -> PreparedForm? {
        if let cached = cached(version: version, of: formID) { return cached }
        let key = VersionKey(formID: formID, version: version)
        let store: @Sendable (LoadedVersion?) -> Void = { [versions] loaded in
            if let loaded { versions.insert(loaded.form, for: key, bytes: loaded.bytes) }
        }
        let statement: Statement =
            "SELECT definition FROM form_version WHERE form_id = \(formID) AND version = \(version)"
        if let connection {
            let loaded = try Self.prepared(await connection.query(statement))
            store(loaded)
            return loaded?.form
        }
        let load: @Sendable () async throws -> LoadedVersion? = { [pool] in
            try Self.prepared(await pool.query(statement))
        }
        let (outcome, isShared) = await versionLoads.value(for: key, storing: store, load: load)
        if case .success(let loaded?) = outcome { return loaded.form }
        guard isShared else { return try outcome.get()?.form }
        // The version may have been published after the shared load started.
        return try await versionLoads.value(for: key, storing: store, load: load).outcome.get()?.form
    }

    private static func prepared(_ rows: Rows) throws -> LoadedVersion? {
        guard let row = rows.first else { return nil }
        let text = try row.decode(String.self)
        return LoadedVersion(
            form: PreparedForm(try FormDefinition(json: StoredJSON.parse(text))), bytes: 6 * text.utf8.count)
    }

    /// Removes the facts of a form, and makes the next caller load them again.
    func forget(_ code: String) {
        factLoads.abandon(code) { facts.remove(code) }
    }

    private func load(code: String) async throws -> FormFacts {
        guard FormCode.isPlausible(code) else { throw Problem(.notFound) }
        let row = try await ids.row(of: .code(code)) { id in
            try await pool.query(
                """
                SELECT f.id, f.meeting_id, f.code, f.version, f.definition->>'identity', fs.anonymous,
                    \(fragment: Self.countOfAllVersions) > \(PreparedForm.maxSmallCount), fs.key_id, salt.salt
                FROM form f JOIN form_state fs ON fs.form_id = f.id
                    LEFT JOIN form_salt salt ON salt.form_id = fs.form_id
                WHERE fs.form_id = \(id) AND f.code = \(code) AND NOT fs.trashed
                """)
        }
        let (id, meetingID, storedCode, version, identity, anonymous, isLarge, keyID, salt) = try row.decode(
            UUID.self, UUID.self, String.self, Int.self, String.self, Bool.self, Bool.self, Int.self, [UInt8]?.self)
        let secret = try keys.key(keyID)
        return FormFacts(
            id: id, meetingID: meetingID, code: storedCode, version: version,
            identity: FormDefinition.Identity(rawValue: identity) ?? .open, anonymous: anonymous, isLarge: isLarge,
            keys: salt.map { FormKeys(secret: secret, salt: $0) })
    }

    /// An expression for the number of counts of all versions of `form f`. As in `PreparedForm.tallyKeys`, a question
    /// counts the people who answered it, those who skipped it, and each option or rating. The table `question` has the
    /// options of all versions.
    private static let countOfAllVersions: Statement = """
        (SELECT coalesce(sum(2 + coalesce(
                jsonb_array_length(q.definition->'options') + (q.definition->>'other')::boolean::integer,
                (q.definition->>'max')::integer - (q.definition->>'min')::integer + 1, 0)), 0)
            FROM question q WHERE q.form_id = f.id)
        """
}
