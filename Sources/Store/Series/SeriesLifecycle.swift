import Domain
import Foundation
import Postgres
import StrictJSON

/// The steps that move a series with its rounds to the trash, restore it, and transfer it. They run in the caller's
/// transaction, which changes a series or deletes an account. The caller has checked access.
///
/// To avoid deadlocks, all transactions lock rows in this order: series, meeting, form, and the states of forms last.
/// The states are set with `setTrashed` after the transaction has written everything else, for all its series together.
/// They are locked in the order of their ids, as in the intake.
enum SeriesLifecycle {
    /// A form whose meeting was moved to the trash or restored. The caller must set the form's state, and remove its
    /// code from the cache after the commit.
    struct MovedForm: Sendable, Equatable {
        var id: UUID
        var code: String
    }

    /// Returns an expression for the time at which something that is moved to the trash now is deleted permanently.
    static func purgeTime(on connection: Connection) async throws -> Statement {
        let days = try await RetentionSettings.read(on: connection).settings.trashDays
        return "now() + make_interval(hours => \(Int32(24 * days)))"
    }

    /// Moves the series to the trash with all its rounds, which get the same `deleted_at` and `purges_at`. Changes
    /// nothing if the series is already there.
    static func trash(_ seriesID: UUID, by accountID: UUID, on connection: Connection) async throws -> [MovedForm] {
        let purgeTime = try await purgeTime(on: connection)
        let trashed = try await connection.execute(
            """
            UPDATE series SET deleted_at = now(), purges_at = \(fragment: purgeTime), revision = revision + 1
            WHERE id = \(seriesID) AND deleted_at IS NULL
            """)
        guard trashed == 1 else { return [] }
        let meetings = try await connection.query(
            """
            UPDATE meeting SET deleted_at = now(), purges_at = \(fragment: purgeTime), revision = revision + 1
            WHERE series_id = \(seriesID) AND deleted_at IS NULL RETURNING id
            """)
        try await Audit.record("series.trash", of: seriesID, by: accountID, on: connection)
        return try await forms(of: meetings, on: connection)
    }

    /// Restores the series with the rounds that were moved to the trash with it. Throws 404 if the series is not in the
    /// trash, or its time there is over. Throws the violation of `meeting_no_overlap` if another meeting now overlaps
    /// one of the rounds.
    static func restore(_ seriesID: UUID, by accountID: UUID, on connection: Connection) async throws -> [MovedForm] {
        let restorable = try await connection.query(
            """
            SELECT owner_id FROM series WHERE id = \(seriesID) AND purges_at > now() FOR NO KEY UPDATE
            """)
        try await Overlaps.lockTimes(of: restorable.requireFirst().decode(UUID.self), on: connection)
        let meetings = try await connection.query(
            """
            UPDATE meeting AS m SET deleted_at = NULL, purges_at = NULL, revision = m.revision + 1 FROM series s
            WHERE s.id = \(seriesID) AND m.series_id = s.id AND m.deleted_at = s.deleted_at RETURNING m.id
            """)
        try await restoreAlone(seriesID, by: accountID, on: connection)
        return try await forms(of: meetings, on: connection)
    }

    /// Restores the series without any of its rounds.
    static func restoreAlone(_ seriesID: UUID, by accountID: UUID, on connection: Connection) async throws {
        try await connection.execute(
            "UPDATE series SET deleted_at = NULL, purges_at = NULL, revision = revision + 1 WHERE id = \(seriesID)")
        try await Audit.record("series.restore", of: seriesID, by: accountID, on: connection)
    }

    /// Locks the account of the new owner, to prevent new meetings in the meantime, and returns its id. Returns nil if
    /// there is no enabled account with this address.
    static func lockNewOwner(_ email: EmailAddress, on connection: Connection) async throws -> UUID? {
        try await connection.query(
            "SELECT id FROM account WHERE email = \(email.text)::citext AND disabled_at IS NULL FOR UPDATE"
        ).first?.decode(UUID.self)
    }

    /// Transfers the series to a new owner, who becomes the host of all its rounds. With `allowingOverlap`, rounds may
    /// overlap the new owner's meetings; otherwise an overlap throws the violation of `meeting_no_overlap`.
    static func transfer(
        _ seriesID: UUID, to newOwnerID: UUID, allowingOverlap: Bool, by accountID: UUID, on connection: Connection
    ) async throws {
        try await connection.execute(
            "UPDATE series SET owner_id = \(newOwnerID), revision = revision + 1 WHERE id = \(seriesID)")
        try await connection.execute(
            "DELETE FROM series_host WHERE series_id = \(seriesID) AND account_id = \(newOwnerID)")
        try await Overlaps.lockTimes(of: newOwnerID, on: connection)
        if allowingOverlap {
            try await connection.execute(
                """
                UPDATE meeting AS m SET allow_overlap = true
                WHERE m.series_id = \(seriesID) AND m.deleted_at IS NULL AND m.starts_at IS NOT NULL AND EXISTS (
                    SELECT FROM meeting o WHERE o.host_id = \(newOwnerID) AND o.series_id <> m.series_id
                        AND o.deleted_at IS NULL AND o.starts_at IS NOT NULL AND NOT o.allow_overlap
                        AND tstzrange(o.starts_at, o.ends_at) && tstzrange(m.starts_at, m.ends_at))
                """)
        }
        try await connection.execute(
            "UPDATE meeting SET host_id = \(newOwnerID), revision = revision + 1 WHERE series_id = \(seriesID)")
        try await Audit.record(
            "series.transfer", of: seriesID, by: accountID,
            detail: .object([.init("to", .string(newOwnerID.lowercased))]), on: connection)
    }

    /// Selects the times of the series' rounds that do not allow overlaps, to find the meetings with which they
    /// conflict.
    static func times(of seriesID: UUID) -> Statement {
        """
        SELECT r.starts_at, r.ends_at FROM meeting r JOIN series rs ON rs.id = r.series_id
        WHERE rs.id = \(seriesID) AND r.deleted_at IS NOT DISTINCT FROM rs.deleted_at AND r.starts_at IS NOT NULL
            AND NOT r.allow_overlap
        """
    }

    /// Sets `trashed` in the states of these forms, and records their events. An open form is reported as closed when
    /// it is moved to the trash, and as opened when it is restored. Events that its opening or closing time would have
    /// caused in between are not reported. Must be the transaction's last write.
    static func setTrashed(_ trashed: Bool, _ formIDs: [UUID], on connection: Connection) async throws {
        guard !formIDs.isEmpty else { return }
        if !trashed { try await Forms.cancelMissedPublications(formIDs, on: connection) }
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
                    UPDATE form_state SET trashed = \(trashed), notified = \(notified.rawValue), revision = revision + 1
                    WHERE form_id = \(form.formID)
                    """
            } + changed.map { IngestStatement.notification($0.formID) })
    }

    /// Locks the states of these forms in the order of their ids, with one statement per form. A single statement could
    /// lock them in any order.
    static func lockStates(_ formIDs: [UUID], on connection: Connection) async throws {
        try await connection.pipeline(
            inLockOrder(formIDs).map { id in "SELECT 1 FROM form_state WHERE form_id = \(id) FOR UPDATE" })
    }

    /// Sorts ids as the database does, by their bytes. This is also the order of their textual form.
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
