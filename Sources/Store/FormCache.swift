import Domain
import Foundation
import Postgres
import StrictJSON
import Synchronization

/// Forms by code and their published versions by number: a small memory in front of the hot path.
///
/// A version never changes, so it is kept as long as there is room. Facts are asked for again after a second, since
/// another instance may have published; an act on this instance forgets them at once. Neither decides what is taken:
/// that is judged in the database.
public final class FormCache: Sendable {
    private struct VersionKey: Hashable {
        var formID: UUID
        var version: Int
    }

    private struct Contents {
        var facts: [String: (facts: FormFacts, at: ContinuousClock.Instant)] = [:]
        var versions: [VersionKey: PreparedForm] = [:]
        /// Counts what was forgotten: a load that began before it may bring what was true before.
        var forgotten = 0
    }

    private static let freshness: Duration = .seconds(1)
    /// Entries of each kind; when full, all are dropped and read again as they are needed.
    private static let room = 2_000

    private let contents = Mutex(Contents())
    private let pool: Pool
    private let keys: KeyRing

    init(pool: Pool, keys: KeyRing) {
        self.pool = pool
        self.keys = keys
    }

    /// Throws 404 for a code that is none, or whose meeting is in the trash when it is looked up.
    func facts(code: String) async throws -> FormFacts {
        if let known = known(code: code) { return known }
        let now = ContinuousClock.now
        let forgotten = contents.withLock { $0.forgotten }
        let facts = try await load(code: code)
        contents.withLock { contents in
            guard contents.forgotten == forgotten else { return }
            if contents.facts.count >= Self.room { contents.facts = [:] }
            contents.facts[code] = (facts, now)
        }
        return facts
    }

    /// The facts of a form that takes answers, if they are here and fresh.
    func known(code: String) -> FormFacts? {
        guard let known = contents.withLock({ $0.facts[code] }) else { return nil }
        // A draft may be published by another instance at any moment, and nobody should be sent away for a second.
        guard known.facts.version > 0, ContinuousClock.now - known.at < Self.freshness else { return nil }
        return known.facts
    }

    /// A published version's questions, if they are here.
    func known(version: Int, of formID: UUID) -> PreparedForm? {
        contents.withLock { $0.versions[VersionKey(formID: formID, version: version)] }
    }

    /// A published version's questions; nil when there is no such version. Inside a transaction it is read through its
    /// connection: one that waited for a second while it holds the first could wait for ever.
    func version(_ version: Int, of formID: UUID, on connection: Connection? = nil) async throws -> PreparedForm? {
        if let known = known(version: version, of: formID) { return known }
        let statement: Statement =
            "SELECT definition FROM form_version WHERE form_id = \(formID) AND version = \(version)"
        let rows: Rows
        if let connection {
            rows = try await connection.query(statement)
        } else {
            rows = try await pool.query(statement)
        }
        guard let row = rows.first else { return nil }
        let form = PreparedForm(try FormDefinition(json: StoredJSON.parse(row.decode(String.self))))
        contents.withLock { contents in
            if contents.versions.count >= Self.room { contents.versions = [:] }
            contents.versions[VersionKey(formID: formID, version: version)] = form
        }
        return form
    }

    func forget(_ code: String) {
        contents.withLock { contents in
            contents.facts[code] = nil
            contents.forgotten += 1
        }
    }

    private func load(code: String) async throws -> FormFacts {
        guard FormCode.isPlausible(code) else { throw Problem(.notFound) }
        let rows = try await pool.query(
            """
            SELECT f.id, f.meeting_id, f.code, f.version, f.definition->>'identity', fs.anonymous, fs.key_id, salt.salt
            FROM form f JOIN form_state fs ON fs.form_id = f.id LEFT JOIN form_salt salt ON salt.form_id = f.id
            WHERE f.code = \(code) AND NOT fs.trashed
            """)
        let row = try rows.found()
        let (id, meetingID, found, version, identity, anonymous, keyID, salt) = try row.decode(
            UUID.self, UUID.self, String.self, Int.self, String.self, Bool.self, Int.self, [UInt8]?.self)
        let secret = try keys.key(keyID)
        return FormFacts(
            id: id, meetingID: meetingID, code: found, version: version,
            identity: FormDefinition.Identity(rawValue: identity) ?? .open, anonymous: anonymous,
            keys: salt.map { FormKeys(secret: secret, salt: $0) })
    }
}
