import Domain
import Foundation
import Postgres
import StrictJSON

/// When a form's submissions came, in equal steps from the first to the last.
public struct FormTimeline: Sendable {
    /// How long a step is; hours and minutes are instants, days those of a zone.
    public enum Bucket: String, Sendable, CaseIterable {
        case minute, hour, day
    }

    public struct Step: Sendable, Equatable {
        public var startsAt: Date
        /// In the zone: `5 Nov` of a day, else `5 Nov 14:00`.
        public var label: String
        /// Submissions in this step that were not withdrawn.
        public var count: Int
    }

    /// Steps that one timeline has at most.
    public static let mostSteps = 10_000

    public var bucket: Bucket
    public var timeZone: String
    public var steps: [Step]
}

/// Reads timelines from the maintained counts by minute.
public struct FormTimelines: Sendable {
    let pool: Pool
    let zones: TimeZones

    /// Of a form that is not anonymous the hours in the meeting's zone, unless others are asked for. Of an anonymous one
    /// only the days in UTC are known: anything else is a 422.
    public func read(
        of meeting: Meeting, by bucket: FormTimeline.Bucket?, timeZone: String?
    ) async throws -> FormTimeline {
        if let timeZone { try await zones.require(timeZone, at: "?timeZone") }
        let isAnonymous = meeting.form.anonymous
        if isAnonymous { try Self.checkAnonymous(bucket, timeZone) }
        let bucket = bucket ?? (isAnonymous ? .day : .hour)
        let zone = isAnonymous ? "UTC" : timeZone ?? meeting.timeZone
        let rows = try await pool.query(Self.statement(meeting.form.id, bucket, zone))
        guard rows.count <= FormTimeline.mostSteps else {
            throw Problem([
                Fault(
                    .invalid, at: "?bucket", code: "too-many-steps",
                    "There would be more than \(FormTimeline.mostSteps) steps: take longer ones.")
            ])
        }
        let steps = try rows.map { row in
            let (startsAt, label, count) = try row.decode(Date.self, String.self, Int.self)
            return FormTimeline.Step(startsAt: startsAt, label: label, count: count)
        }
        return FormTimeline(bucket: bucket, timeZone: zone, steps: steps)
    }

    private static func checkAnonymous(_ bucket: FormTimeline.Bucket?, _ timeZone: String?) throws {
        var faults: [Fault] = []
        if bucket == .hour || bucket == .minute {
            faults.append(
                Fault(.invalid, at: "?bucket", code: "too-fine", "Of an anonymous form only the days are known."))
        }
        if let timeZone, timeZone != "UTC" {
            faults.append(
                Fault(
                    .invalid, at: "?timeZone", code: "too-fine", "Of an anonymous form only the days in UTC are known.")
            )
        }
        if !faults.isEmpty { throw Problem(faults) }
    }

    private static func statement(_ formID: UUID, _ bucket: FormTimeline.Bucket, _ zone: String) -> Statement {
        switch bucket {
        case .day: days(formID, zone)
        case .hour: instants(formID, "hour", 3600, zone)
        case .minute: instants(formID, "minute", 60, zone)
        }
    }

    /// A day is as long as the zone makes it; one that a zone left out is none.
    private static func days(_ formID: UUID, _ zone: String) -> Statement {
        """
        WITH counted AS MATERIALIZED (
            SELECT (t.at AT TIME ZONE \(zone))::date AS day, sum(t.count)::bigint AS count
            FROM timeline t WHERE t.form_id = \(formID) AND t.count > 0 GROUP BY 1
        ), span AS (
            SELECT min(day) AS first, least(max(day), min(day) + \(FormTimeline.mostSteps)::integer) AS last FROM counted
        )
        SELECT d.day AT TIME ZONE \(zone), to_char(d.day, 'FMDD Mon'), coalesce(c.count, 0)
        FROM span, generate_series(span.first::timestamp, span.last::timestamp, '1 day') AS d (day)
        LEFT JOIN counted c ON c.day = d.day::date
        WHERE (d.day AT TIME ZONE \(zone)) AT TIME ZONE \(zone) >= d.day
            AND ((d.day AT TIME ZONE \(zone)) AT TIME ZONE \(zone))::date = d.day::date
        ORDER BY d.day
        """
    }

    /// Steps of so many seconds, the first of which begins at a whole hour or minute of the zone.
    private static func instants(_ formID: UUID, _ unit: String, _ seconds: Int, _ zone: String) -> Statement {
        """
        WITH span AS MATERIALIZED (
            SELECT date_trunc(\(unit), min(t.at), \(zone)) AS first, max(t.at) AS last
            FROM timeline t WHERE t.form_id = \(formID) AND t.count > 0
        ), counted AS (
            SELECT floor(extract(epoch FROM t.at - span.first) / \(seconds)::integer)::bigint AS step,
                sum(t.count)::bigint AS count
            FROM timeline t, span WHERE t.form_id = \(formID) AND t.count > 0 GROUP BY 1
        ), steps AS (
            SELECT g.step, span.first + make_interval(secs => g.step * \(seconds)::integer) AS at
            FROM span, generate_series(0, least(\(FormTimeline.mostSteps)::bigint,
                floor(extract(epoch FROM span.last - span.first) / \(seconds)::integer)::bigint)) AS g (step)
            WHERE span.first IS NOT NULL
        )
        SELECT s.at, to_char(s.at AT TIME ZONE \(zone), 'FMDD Mon HH24:MI'), coalesce(c.count, 0)
        FROM steps s LEFT JOIN counted c ON c.step = s.step
        ORDER BY s.step
        """
    }
}

extension Store {
    public var timelines: FormTimelines { FormTimelines(pool: pool, zones: meetings.zones) }
}
