import Domain
import Foundation
import Postgres

extension MeetingDraft {
    /// The number of rounds that the draft describes.
    var rounds: Int { repetition?.count ?? 1 }

    /// A query for the times of the rounds that the draft describes. They are computed by the database. The columns are
    /// `place` (the number of the round, from 0), `starts_at` and `ends_at`.
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
                SELECT k.place::int AS place, t.first, t.last,
                    CASE k.place WHEN 0 THEN t.first
                        ELSE ((t.first AT TIME ZONE t.zone) + k.place * t.period) AT TIME ZONE t.zone END AS starts_at,
                    CASE k.place WHEN 0 THEN t.last
                        ELSE ((t.first AT TIME ZONE t.zone) + k.place * t.period
                            + ((t.last AT TIME ZONE t.zone) - (t.first AT TIME ZONE t.zone))) AT TIME ZONE t.zone
                        END AS ends_at
                FROM (SELECT \(startsAt)::timestamptz AS first, \(endsAt)::timestamptz AS last, \(timeZone)::text AS zone,
                        \(repetition.every)::text::interval AS period) t,
                    generate_series(0, \(repetition.count - 1)::int) AS k (place)
            ) r
            """
    }
}
