import Domain
import Foundation
import Postgres

/// Finds the meeting to which the poster of a series leads now.
public struct PosterCodes: Sendable {
    let pool: Pool

    /// Returns the poster code and the title of a series, if the caller may see it.
    public func require(seriesID: UUID, by principal: Principal) async throws -> (code: String, title: String) {
        let rows = try await pool.query(
            """
            SELECT s.code, s.title, \(fragment: Access.role(of: principal))
            FROM series s WHERE s.id = \(seriesID) AND s.deleted_at IS NULL
            """)
        let (code, title, role) = try rows.requireFirst().decode(String.self, String.self, String?.self)
        try Access.check(role, atLeast: .viewer)
        return (code, title)
    }

    /// Returns the path of the page to which the poster leads now. Throws 404 for an unknown code, and for a series
    /// that is in the trash or has no rounds.
    ///
    /// The database returns only rounds to which the poster can lead, because a series may have many rounds.
    public func destination(code: String) async throws -> String {
        guard FormCode.isPlausible(code) else { throw Problem(.notFound) }
        let rows = try await pool.query(
            """
            WITH round AS MATERIALIZED (
                SELECT m.id, m.round, m.starts_at, m.ends_at, m.check_in_code
                FROM series s JOIN meeting m ON m.series_id = s.id
                WHERE s.code = \(code) AND s.deleted_at IS NULL AND m.deleted_at IS NULL)
            SELECT m.round, m.starts_at, m.ends_at, f.code, m.check_in_code, fs.state, fs.opens_at, fs.closes_at,
                fs.grace_minutes, clock_timestamp()
            FROM round m JOIN form f ON f.meeting_id = m.id JOIN form_state fs ON fs.form_id = f.id
            WHERE (m.starts_at - interval '1 hour' <= now() AND now() < m.ends_at)
                OR (fs.state = 'open'
                    AND coalesce(fs.closes_at + fs.grace_minutes * interval '1 minute' > now(), true))
                OR m.id = (SELECT id FROM round WHERE starts_at > now() ORDER BY starts_at, round LIMIT 1)
                OR m.id = (SELECT id FROM round ORDER BY starts_at DESC NULLS LAST, round DESC LIMIT 1)
            ORDER BY m.starts_at DESC NULLS LAST, m.round DESC LIMIT 500
            """)
        var rounds: [StandingPoster.Round] = []
        var now = Date.distantPast
        for row in rows {
            var columns = Columns(row)
            let number: Int = try columns.next()
            let (startsAt, endsAt): (Date?, Date?) = (try columns.next(), try columns.next())
            let (code, checkInCode): (String, String) = (try columns.next(), try columns.next())
            let life = try FormLife.read(&columns)
            now = try columns.next()
            rounds.append(
                StandingPoster.Round(
                    number: number, startsAt: startsAt, endsAt: endsAt, form: life.state(at: now), code: code,
                    checkInCode: checkInCode))
        }
        guard let path = StandingPoster.path(rounds, at: now) else { throw Problem(.notFound) }
        return path
    }
}
