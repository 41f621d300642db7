import Foundation
import Postgres

/// The numbers of deletions that are overdue. The command `doctor` shows them.
public struct OverdueDeletions: Sendable, Equatable {
    /// The number of forms whose answers should have been deleted.
    public var forms: Int
    /// The number of meetings and series whose time in the trash is over.
    public var trashed: Int

    public init(forms: Int, trashed: Int) {
        self.forms = forms
        self.trashed = trashed
    }

    /// Returns nil if nothing is overdue.
    ///
    /// - Parameter seconds: The number of seconds by which a deletion must be overdue to count. The service deletes
    ///   once an hour.
    public static func read(url: String, after seconds: Double = 7_200) async throws -> OverdueDeletions? {
        try await Connection.with(PostgresConfiguration(url: url)) { connection in
            let deletesAt = FormRetention.deletesAt
            let delay: Statement = "make_interval(secs => \(seconds))"
            let forms = try await connection.query(
                """
                SELECT count(*) FROM form_state fs JOIN form f ON f.id = fs.form_id
                    JOIN meeting m ON m.id = f.meeting_id JOIN series s ON s.id = m.series_id
                WHERE fs.answers_deleted_at IS NULL
                    AND coalesce(fs.answers_expired_at, \(fragment: deletesAt)) < now() - \(fragment: delay)
                """
            ).single().decode(Int.self)
            let trashed = try await connection.query(
                """
                SELECT (SELECT count(*) FROM meeting WHERE purges_at < now() - \(fragment: delay))
                    + (SELECT count(*) FROM series WHERE purges_at < now() - \(fragment: delay))
                """
            ).single().decode(Int.self)
            return forms + trashed > 0 ? OverdueDeletions(forms: forms, trashed: trashed) : nil
        }
    }
}
