import Domain
import Foundation
import Postgres

extension MeetingDraft {
    /// The number of rounds that the draft describes.
    var rounds: Int { repetition?.count ?? 1 }

    /// A query for the times of the rounds that the draft describes. They are computed by the database. The columns are
    /// `place` (the number of the round, from 0), `starts_at` and `ends_at`. There are fewer rows than `rounds` if the
    /// last round would begin more than a hundred years after the first.
    ///
    /// Each round has the same local start and end as the first. Its times are computed from the first round, not from
    /// the one before, so that a monthly meeting on the 31st is on the 31st again after February. If a clock change
    /// would put the end before the start, the round has the duration of the first instead. A local time that a clock
    /// change skips moves forward by the length of the change.
    var roundTimes: Statement {
        guard let repetition, let startsAt, let endsAt else {
            return "SELECT 0 AS place, \(startsAt)::timestamptz AS starts_at, \(endsAt)::timestamptz AS ends_at"
        }
        return """
            SELECT r.place, r.starts_at,
                CASE WHEN r.ends_at > r.starts_at THEN r.ends_at ELSE r.starts_at + (r.last - r.first) END AS ends_at
            FROM (
                SELECT k.place, t.first, t.last,
                    CASE k.place WHEN 0 THEN t.first ELSE k.start AT TIME ZONE t.zone END AS starts_at,
                    CASE k.place WHEN 0 THEN t.last
                        ELSE (k.start + ((t.last AT TIME ZONE t.zone) - (t.first AT TIME ZONE t.zone))) AT TIME ZONE t.zone
                        END AS ends_at
                FROM (SELECT \(startsAt)::timestamptz AS first, \(endsAt)::timestamptz AS last, \(timeZone)::text AS zone) t,
                    (\(fragment: repetition.localStarts(from: startsAt, timeZone))) k
            ) r
            """
    }
}

extension Repetition {
    /// All rounds begin within this number of months.
    private static let maxMonths = 1200

    /// A query for the local starts of the rounds. The columns are `place` and `start`.
    fileprivate func localStarts(from startsAt: Date, _ zone: String) -> Statement {
        let first: Statement = "\(startsAt)::timestamptz AT TIME ZONE \(zone)::text"
        guard day != .date, let months else {
            return """
                SELECT n::int AS place, (\(fragment: first)) + n * \(every)::text::interval AS start
                FROM generate_series(0, \(count - 1)::int) n
                """
        }
        return """
            SELECT (row_number() OVER (ORDER BY d.number) - 1)::int AS place, d.start
            FROM (\(fragment: monthlyStarts(from: first, every: months))) d
            WHERE date_trunc('month', d.start) = d.month
            ORDER BY d.number LIMIT \(count)
            """
    }

    /// A query for the starts on the weekday of each month: `number`, the `month` and the `start`, which is in the next
    /// month if the month has no such weekday.
    private func monthlyStarts(from first: Statement, every months: Int) -> Statement {
        // The days from the month's first day to its first such weekday, and from the last such weekday to its last day.
        let lead: Statement = "(m.weekday - extract(dow FROM m.month)::int + 7) % 7"
        let tail: Statement = "(extract(dow FROM m.month + interval '1 month - 1 day')::int - m.weekday + 7) % 7"
        let date: Statement =
            day == .lastWeekday
            ? "m.month + interval '1 month - 1 day' - (\(fragment: tail)) * interval '1 day'"
            : "m.month + (\(fragment: lead) + 7 * ((m.day - 1) / 7)) * interval '1 day'"
        return """
            SELECT m.number, m.month,
                CASE m.number WHEN 0 THEN m.first ELSE \(fragment: date) + (m.first - date_trunc('day', m.first)) END
                    AS start
            FROM (
                SELECT n AS number, f.first, extract(dow FROM f.first)::int AS weekday,
                    extract(day FROM f.first)::int AS day,
                    date_trunc('month', f.first) + n * make_interval(months => \(months)::int) AS month
                FROM (SELECT \(fragment: first) AS first) f, generate_series(0, \(Self.maxMonths / months)::int) n
            ) m
            """
    }
}
