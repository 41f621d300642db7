import Domain
import Foundation
import Postgres
import StrictJSON

/// What becomes of a series as a whole: into the trash, back, to a new owner. Shared by the acts on a series and by the
/// end of an account, whose transaction it joins; whether the caller may is judged before.
///
/// What it writes is locked in one order: series, meeting, form, and the states of forms last. These are set with
/// `setTrashed` when the transaction has written everything else, those of all its series at once and in the order of
/// their ids, in which submissions lock them too.
enum SeriesLifecycle {
    /// A form whose meeting went into the trash or came back. Its state is to follow, and once that is committed, its
    /// code to be forgotten.
    struct MovedForm: Sendable, Equatable {
        var id: UUID
        var code: String
    }

    /// How long the trash keeps what is in it.
    static let daysInTrash = 30

    /// Into the trash with all its rounds, which then have the series' `deleted_at`; changes nothing when it is there already.
    static func trash(_ seriesID: UUID, by accountID: UUID, on connection: Connection) async throws -> [MovedForm] {
        let trashed = try await connection.execute(
            """
            UPDATE series SET deleted_at = now(), revision = revision + 1 WHERE id = \(seriesID) AND deleted_at IS NULL
            """)
        guard trashed == 1 else { return [] }
        let meetings = try await connection.query(
            """
            UPDATE meeting SET deleted_at = now(), revision = revision + 1
            WHERE series_id = \(seriesID) AND deleted_at IS NULL RETURNING id
            """)
        try await Audit.record("series.trash", of: seriesID, by: accountID, on: connection)
        return try await forms(of: meetings, on: connection)
    }

    /// Back with the rounds that went with it; 404 unless it is in the trash and not for too long. Throws the violation
    /// of `meeting_no_overlap` where a time was taken meanwhile.
    static func restore(_ seriesID: UUID, by accountID: UUID, on connection: Connection) async throws -> [MovedForm] {
        let restorable = try await connection.query(
            """
            SELECT owner_id FROM series WHERE id = \(seriesID)
                AND deleted_at > now() - make_interval(days => \(Int32(daysInTrash))) FOR NO KEY UPDATE
            """)
        try await Overlaps.takeTurn(of: restorable.found().decode(UUID.self), on: connection)
        let meetings = try await connection.query(
            """
            UPDATE meeting AS m SET deleted_at = NULL, revision = m.revision + 1 FROM series s
            WHERE s.id = \(seriesID) AND m.series_id = s.id AND m.deleted_at = s.deleted_at RETURNING m.id
            """)
        try await restoreAlone(seriesID, by: accountID, on: connection)
        return try await forms(of: meetings, on: connection)
    }

    /// Back without any of its rounds.
    static func restoreAlone(_ seriesID: UUID, by accountID: UUID, on connection: Connection) async throws {
        try await connection.execute(
            "UPDATE series SET deleted_at = NULL, revision = revision + 1 WHERE id = \(seriesID)")
        try await Audit.record("series.restore", of: seriesID, by: accountID, on: connection)
    }

    /// An enabled account that may take a series over, locked so that it gets no new meeting meanwhile; nil if there is
    /// none of that address.
    static func lockHeir(_ email: EmailAddress, on connection: Connection) async throws -> UUID? {
        try await connection.query(
            "SELECT id FROM account WHERE email = \(email.text)::citext AND disabled_at IS NULL FOR UPDATE"
        ).first?.decode(UUID.self)
    }

    /// To a new owner, who hosts all its rounds from now on. A round that meets one of the heir's own is allowed to with
    /// `allowingOverlap`; else the violation of `meeting_no_overlap` is thrown.
    static func transfer(
        _ seriesID: UUID, to heirID: UUID, allowingOverlap: Bool, by accountID: UUID, on connection: Connection
    ) async throws {
        try await connection.execute(
            "UPDATE series SET owner_id = \(heirID), revision = revision + 1 WHERE id = \(seriesID)")
        try await connection.execute(
            "DELETE FROM series_host WHERE series_id = \(seriesID) AND account_id = \(heirID)")
        try await Overlaps.takeTurn(of: heirID, on: connection)
        if allowingOverlap {
            try await connection.execute(
                """
                UPDATE meeting AS m SET allow_overlap = true
                WHERE m.series_id = \(seriesID) AND m.deleted_at IS NULL AND m.starts_at IS NOT NULL AND EXISTS (
                    SELECT FROM meeting o WHERE o.host_id = \(heirID) AND o.series_id <> m.series_id
                        AND o.deleted_at IS NULL AND o.starts_at IS NOT NULL AND NOT o.allow_overlap
                        AND tstzrange(o.starts_at, o.ends_at) && tstzrange(m.starts_at, m.ends_at))
                """)
        }
        try await connection.execute(
            "UPDATE meeting SET host_id = \(heirID), revision = revision + 1 WHERE series_id = \(seriesID)")
        try await Audit.record(
            "series.transfer", of: seriesID, by: accountID,
            detail: .object([.init("to", .string(heirID.lowercased))]), on: connection)
    }

    /// When its rounds are held, of those that block others: what may meet somebody's own.
    static func times(of seriesID: UUID) -> Statement {
        """
        SELECT r.starts_at, r.ends_at FROM meeting r JOIN series rs ON rs.id = r.series_id
        WHERE rs.id = \(seriesID) AND r.deleted_at IS NOT DISTINCT FROM rs.deleted_at AND r.starts_at IS NOT NULL
            AND NOT r.allow_overlap
        """
    }

    /// The last that a transaction writes. A form that was open is told to have closed when it goes into the trash, and
    /// to have opened when it comes back; what its times brought meanwhile happened to nobody.
    static func setTrashed(_ trashed: Bool, _ formIDs: [UUID], on connection: Connection) async throws {
        guard !formIDs.isEmpty else { return }
        if !trashed { try await Forms.forgetMissed(formIDs, on: connection) }
        try await lockStates(formIDs, on: connection)
        let changed = try await FormStatus.read(formIDs, on: connection).filter { $0.isTrashed != trashed }
        try await FormStatus.notify(
            changed.map { form in
                let events: [FormEvent] =
                    if trashed {
                        form.eventsByClock + (form.state == .open ? [.closed] : [])
                    } else {
                        form.notified.events(to: form.state, byClock: false)
                    }
                return (form, events)
            }, on: connection)
        try await connection.pipeline(
            changed.map { form in
                let notified = trashed && form.state == .open ? FormState.closed : form.state.notified
                return """
                    UPDATE form_state SET trashed = \(trashed), told = \(notified.rawValue), revision = revision + 1
                    WHERE form_id = \(form.formID)
                    """
            } + changed.map { IngestStatement.notification($0.formID) })
    }

    /// Locks states that the transaction will write, one statement a form: a single one could lock them in any order.
    static func lockStates(_ formIDs: [UUID], on connection: Connection) async throws {
        try await connection.pipeline(
            inLockOrder(formIDs).map { id in "SELECT 1 FROM form_state WHERE form_id = \(id) FOR UPDATE" })
    }

    /// The database orders ids by their bytes, as their texts are.
    private static func inLockOrder(_ formIDs: [UUID]) -> [UUID] {
        Set(formIDs).sorted { $0.uuidString < $1.uuidString }
    }

    private static func forms(of meetings: Rows, on connection: Connection) async throws -> [MovedForm] {
        let ids = try meetings.map { row -> UUID in try row.decode(UUID.self) }
        return try await connection.query("SELECT id, code FROM form WHERE meeting_id = ANY (\(ids)) ORDER BY id")
            .map { row in
                let (id, code) = try row.decode(UUID.self, String.self)
                return MovedForm(id: id, code: code)
            }
    }
}
