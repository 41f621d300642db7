import Domain
import Foundation
import Postgres

/// Limits on mails to the people of a meeting. They protect recipients from too many mails.
enum MailingLimits {
    /// The maximum number of mailings of one kind about a form per hour.
    static let hourlyLimit = 3
    /// The maximum number of mails that a host may send per day (in UTC), for all forms together.
    static let dailyLimit = 2000
    /// The maximum number of links that are mailed per day (in UTC) to people who join a series by a code. They are
    /// counted apart, so that those who have the code cannot use up what the host may send.
    static let joiningLimit = 500

    /// Throws 429 if the form's hourly limit is reached. Counts entries of the audit trail, under the form's lock.
    ///
    /// - Parameter acts: The actions of the audit trail that count.
    static func checkHour(of formID: UUID, _ acts: [String], on connection: Connection) async throws {
        let rows = try await connection.query(
            """
            SELECT count(*), coalesce(ceil(extract(epoch FROM min(at) + interval '1 hour' - now()))::integer, 0)
            FROM audit WHERE subject_id = \(formID) AND act = ANY (\(acts)) AND at > now() - interval '1 hour'
            """)
        let (count, wait) = try rows.single().decode(Int.self, Int.self)
        if count >= hourlyLimit { throw Problem(.tooManyRequests, retryAfter: max(1, wait)) }
    }

    /// Adds the mails to the account's count of the day, and throws if the daily limit is exceeded, which rolls the
    /// count back. The lock on the row makes other mailings of the account wait.
    ///
    /// - Parameter name: What is mailed, in the plural.
    static func count(
        _ mails: Int, of name: String, by principal: Principal, on connection: Connection
    ) async throws {
        guard mails > 0 else { return }
        let rows = try await connection.query(
            """
            INSERT INTO daily_mail_count (account_id, day, mails)
            VALUES (\(principal.account.id), (now() AT TIME ZONE 'UTC')::date, \(mails))
            ON CONFLICT ON CONSTRAINT daily_mail_count_pkey
                DO UPDATE SET mails = daily_mail_count.mails + excluded.mails
            RETURNING mails, ceil(extract(epoch FROM day + 1 - (now() AT TIME ZONE 'UTC')))::integer
            """)
        let (total, wait) = try rows.single().decode(Int.self, Int.self)
        if total > dailyLimit {
            throw Problem(
                .tooManyRequests, "At most \(dailyLimit) \(name) may be mailed per day.", retryAfter: max(1, wait))
        }
    }

    /// Adds one mail to the count of the day of those who join a series, unless its limit or that of all series of the
    /// same owner is reached. Returns whether it was added.
    static func admitsJoining(_ seriesID: UUID, on connection: Connection) async throws -> Bool {
        let total = try await connection.query(
            """
            SELECT coalesce(sum(c.mails), 0)::bigint FROM series s JOIN series o ON o.owner_id = s.owner_id
                JOIN daily_mail_count c ON c.account_id = o.id AND c.day = (now() AT TIME ZONE 'UTC')::date
            WHERE s.id = \(seriesID)
            """
        ).single().decode(Int.self)
        guard total < dailyLimit else { return false }
        let added = try await connection.execute(
            """
            INSERT INTO daily_mail_count (account_id, day, mails)
            VALUES (\(seriesID), (now() AT TIME ZONE 'UTC')::date, 1)
            ON CONFLICT ON CONSTRAINT daily_mail_count_pkey
                DO UPDATE SET mails = daily_mail_count.mails + 1 WHERE daily_mail_count.mails < \(joiningLimit)
            """)
        return added == 1
    }
}
