import Domain
import Foundation
import Postgres

/// When the answers to a form are deleted: the number of days after its close that the series or the service sets.
///
/// The counts stay. If the retention is shortened, the new one applies to all forms, but deletes nothing in its first
/// week, so that a mistake can be corrected. If it is lengthened, the new one does not apply to forms that accepted
/// answers under the old one, because they have shown participants when the answers would be deleted.
enum FormRetention {
    /// An expression on `form_state fs`: when the form closed or will close; null if that is not known.
    static let closedAt: Statement = """
        CASE fs.state WHEN 'draft' THEN NULL WHEN 'open' THEN fs.closes_at + make_interval(mins => fs.grace_minutes)
            ELSE fs.closed_at END
        """

    /// An expression on `form_state fs` and `series s`: the days after the close; null if the answers are kept.
    static let days: Statement = "least(fs.retention_days, s.retention_days, \(fragment: limitDays))"

    /// An expression on `form_state fs` and `series s`: when the answers are deleted; null if they are kept or have
    /// expired, or if it is not known when the form will close.
    static let deletesAt: Statement = """
        CASE WHEN fs.answers_expired_at IS NULL AND \(fragment: closedAt) IS NOT NULL THEN least(
            \(fragment: close(plus: "fs.retention_days")),
            greatest(\(fragment: close(plus: "s.retention_days")), s.retention_since + \(fragment: firstWeek)),
            greatest(\(fragment: close(plus: limitDays)),
                (SELECT r.limit_since FROM retention_settings r) + \(fragment: firstWeek))) END
        """

    /// A condition on `form_state fs` and `series s`: whether the answers are due to be deleted. Answers to an
    /// anonymous form are deleted only once it is final, because finalising replaces its rows.
    static let isDue: Statement = """
        fs.state IN ('open', 'closed', 'final') AND (NOT fs.anonymous OR fs.state = 'final')
            AND \(fragment: deletesAt) <= now()
        """

    /// Returns the published forms that accepted answers while a retention was in force, except those for which an
    /// equal or shorter retention is already recorded.
    ///
    /// - Parameter condition: A condition on `form_state fs` that restricts the search.
    static func formsKeeping(
        _ days: Int, since: Date, among condition: Statement, on connection: Connection
    ) async throws -> [UUID] {
        try await connection.query(
            """
            SELECT fs.form_id FROM form_state fs
            WHERE \(fragment: condition) AND fs.state <> 'draft' AND fs.answers_expired_at IS NULL
                AND (fs.retention_days IS NULL OR fs.retention_days > \(Int32(days)))
                AND (\(fragment: closedAt) IS NULL OR \(fragment: closedAt) > \(since))
            ORDER BY fs.form_id
            """
        ).map { row in try row.decode(UUID.self) }
    }

    /// Records for these forms a retention that is being replaced, so that they keep it. Must be the transaction's last
    /// write.
    static func record(_ formIDs: [UUID], _ days: Int?, on connection: Connection) async throws {
        guard let days, !formIDs.isEmpty else { return }
        try await SeriesLifecycle.lockStates(formIDs, on: connection)
        try await connection.execute(
            """
            UPDATE form_state SET retention_days = least(retention_days, \(Int32(days)))
            WHERE form_id = ANY (\(formIDs)) AND answers_expired_at IS NULL
            """)
    }

    private static let limitDays: Statement = "(SELECT r.limit_days FROM retention_settings r)"
    /// The time during which a shorter retention deletes nothing.
    private static let firstWeek: Statement = "interval '168 hours'"

    /// An expression: the close plus these days, each of 24 hours, so that the session's time zone does not matter.
    private static func close(plus days: Statement) -> Statement {
        "\(fragment: closedAt) + make_interval(secs => 86400 * \(fragment: days))"
    }
}
