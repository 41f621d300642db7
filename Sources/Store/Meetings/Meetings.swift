import Cryptography
import Domain
import Foundation
import Postgres

/// Meetings of hosts: created with their series and form, found and listed, edited, moved to the trash and restored.
public struct Meetings: Sendable {
    let pool: Pool
    let keys: KeyRing
    let zones: TimeZones
    let cache: FormCache

    /// Creates a meeting with its series, its form and its repeated rounds; `render` renders the response, which a
    /// repeated request gets too.
    public func create(
        _ draft: MeetingDraft, by principal: Principal, once request: IdempotentRequest?,
        render: @escaping @Sendable (Meeting) throws -> [UInt8]
    ) async throws -> Idempotent {
        try await zones.require(draft.timeZone)
        let keyID = keys.newest
        let hostID = principal.account.id
        return try await Overlaps(pool: pool).explained(RoundTimes(draft).rows, of: hostID, for: principal) {
            try await pool.once(request) { connection in
                let seriesID = UUIDv7.make()
                // If the owner's account is being deleted at this moment, the statement waits for that and inserts
                // nothing.
                let inserted = try await connection.execute(
                    """
                    INSERT INTO series (id, owner_id, title, rounds, code)
                    SELECT \(seriesID), a.id, \(draft.title), \(draft.rounds), \(FormCode.make(13))
                    FROM account a WHERE a.id = \(hostID) AND a.disabled_at IS NULL FOR KEY SHARE
                    """)
                guard inserted == 1 else { throw Problem(.unauthorized) }
                let new = NewRounds(
                    draft, asking: FormDefinition(title: draft.title, questions: draft.questions), seriesID: seriesID,
                    hostID: hostID)
                try await new.insert(keyID: keyID, by: hostID, on: connection)
                return try render(await new.announced(on: connection))
            }
        }
    }

    /// Returns the meeting if the caller has at least this access; one in the trash only with `inTrash`.
    @discardableResult
    public func require(
        _ id: UUID, by principal: Principal, atLeast access: Access = .viewer, inTrash: Bool = false
    ) async throws -> Meeting {
        let rows = try await pool.query(
            Meeting.select(", \(fragment: Access.role(of: principal))")
                + "\nWHERE m.id = \(id) AND (m.deleted_at IS NOT NULL) = \(inTrash)")
        let row = try rows.found()
        try Access.check(try row.decode(String?.self, at: Meeting.columnCount), atLeast: access)
        return try Meeting.read(row)
    }

    /// Returns whether no meeting exists, not even in the trash.
    public func isEmpty() async throws -> Bool {
        try await pool.query("SELECT NOT EXISTS (SELECT FROM meeting)").single().decode(Bool.self)
    }

    /// Returns the owner of the series if the caller has at least this access.
    @discardableResult
    public func requireSeries(
        _ id: UUID, by principal: Principal, atLeast access: Access = .viewer
    ) async throws -> UUID {
        let rows = try await pool.query(
            """
            SELECT \(fragment: Access.role(of: principal)), s.owner_id FROM series s
            WHERE s.id = \(id) AND s.deleted_at IS NULL
            """)
        let (role, ownerID) = try rows.found().decode(String?.self, UUID.self)
        try Access.check(role, atLeast: access)
        return ownerID
    }
}
