import Cryptography
import Domain
import Foundation
import Postgres

/// Meetings of hosts: made with their series and form, found and listed, edited, moved to the trash and back.
public struct Meetings: Sendable {
    let pool: Pool
    let keys: KeyRing
    let zones: TimeZones
    let cache: FormCache

    /// A first meeting with its series and its form, and the rounds it repeats in; `render` makes the answer that a repetition gets too.
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
                // Its owner may be leaving at this moment: then it waits for the end of that and is not made.
                let made = try await connection.execute(
                    """
                    INSERT INTO series (id, owner_id, title, rounds, code)
                    SELECT \(seriesID), a.id, \(draft.title), \(draft.rounds), \(FormCode.make(13))
                    FROM account a WHERE a.id = \(hostID) AND a.disabled_at IS NULL FOR KEY SHARE
                    """)
                guard made == 1 else { throw Problem(.unauthorized) }
                let new = NewRounds(
                    draft, asking: FormDefinition(title: draft.title, questions: draft.questions), seriesID: seriesID,
                    hostID: hostID)
                try await new.insert(keyID: keyID, by: hostID, on: connection)
                return try render(await new.announced(on: connection))
            }
        }
    }

    /// The meeting if the caller may see it and has at least that access; the trash only when asked for.
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

    /// Whether nobody ever made one, the trash included.
    public func isEmpty() async throws -> Bool {
        try await pool.query("SELECT NOT EXISTS (SELECT FROM meeting)").single().decode(Bool.self)
    }

    /// The owner of the series, if the caller may see it and has at least that access.
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
