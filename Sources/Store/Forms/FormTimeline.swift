import Domain
import Foundation
import Postgres
import StrictJSON

/// The number of a form's submissions over time, in equal steps from the first submission to the last.
public struct FormTimeline: Sendable {
    /// The length of a step. Minutes and hours have a fixed length; days are those of a time zone.
    public enum Bucket: String, Sendable, CaseIterable {
        case minute, hour, day
    }

    public struct Step: Sendable, Equatable {
        public var startsAt: Date
        /// The local time in the zone, formatted by `LocalMoment`.
        public var label: String
        /// The number of submissions in this step that were not withdrawn.
        public var count: Int
    }

    /// The maximum number of steps of one timeline.
    public static let maxSteps = 10_000

    public var bucket: Bucket
    public var timeZone: String
    public var steps: [Step]
}

/// Reads timelines from the stored counts per minute.
public struct FormTimelines: Sendable {
    let pool: Pool
    let zones: TimeZones

    /// Reads a timeline. The default is hours in the meeting's time zone. An anonymous form has only days in UTC; any
    /// other choice throws 422.
    ///
    /// - Parameters:
    ///   - from: The start of the period.
    ///   - to: The exclusive end of the period.
    public func read(
        of meeting: Meeting, by bucket: FormTimeline.Bucket?, timeZone: String?, from: Date? = nil, to: Date? = nil
    ) async throws -> FormTimeline {
        if let timeZone { try await zones.require(timeZone, at: "?timeZone") }
        let isAnonymous = meeting.form.anonymous
        if isAnonymous { try Self.checkAnonymous(bucket, timeZone) }
        let bucket = bucket ?? (isAnonymous ? .day : .hour)
        let zone = isAnonymous ? "UTC" : timeZone ?? meeting.timeZone
        let counts: Statement = """
            timeline t WHERE t.form_id = \(meeting.form.id) AND t.count > 0
                AND (\(from)::timestamptz IS NULL OR t.at >= \(from)::timestamptz)
                AND (\(to)::timestamptz IS NULL OR t.at < \(to)::timestamptz)
            """
        let rows = try await pool.query(Self.statement(counts, bucket, zone))
        guard rows.count <= FormTimeline.maxSteps else {
            throw Problem(
                invalid: "?bucket", code: "too-many-steps",
                "There would be more than \(FormTimeline.maxSteps) steps. Use longer steps, or a shorter period "
                    + "with from and to.")
        }
        return FormTimeline(bucket: bucket, timeZone: zone, steps: try Self.steps(rows, by: bucket))
    }

    private static func steps(_ rows: Rows, by bucket: FormTimeline.Bucket) throws -> [FormTimeline.Step] {
        var moments: [LocalMoment] = []
        var steps = try rows.map { row in
            let (startsAt, day, time, offset, count) = try row.decode(
                Date.self, String.self, String.self, Int.self, Int.self)
            guard let day = LocalDay(day) else { throw Problem(.internalError, "Invalid date: \(day).") }
            moments.append(LocalMoment(day: day, time: bucket == .day ? nil : time, offset: offset))
            return FormTimeline.Step(startsAt: startsAt, label: "", count: count)
        }
        for (index, label) in LocalMoment.labels(of: moments).enumerated() { steps[index].label = label }
        return steps
    }

    private static func checkAnonymous(_ bucket: FormTimeline.Bucket?, _ timeZone: String?) throws {
        var faults: [Fault] = []
        if bucket == .hour || bucket == .minute {
            faults.append(
                Fault(.invalid, at: "?bucket", code: "too-fine", "An anonymous form has only days."))
        }
        if let timeZone, timeZone != "UTC" {
            faults.append(
                Fault(
                    .invalid, at: "?timeZone", code: "too-fine", "An anonymous form has only days in UTC.")
            )
        }
        if !faults.isEmpty { throw Problem(faults) }
    }

    /// - Parameter counts: The table `timeline t` and its conditions, to follow `FROM`.
    private static func statement(_ counts: Statement, _ bucket: FormTimeline.Bucket, _ zone: String) -> Statement {
        switch bucket {
        case .day: days(counts, zone)
        case .hour: instants(counts, "hour", 3600, zone)
        case .minute: instants(counts, "minute", 60, zone)
        }
    }

    /// Selects days. The length of a day depends on the zone, and a date that the zone skipped is left out.
    private static func days(_ counts: Statement, _ zone: String) -> Statement {
        """
        WITH counted AS MATERIALIZED (
            SELECT (t.at AT TIME ZONE \(zone))::date AS day, sum(t.count)::bigint AS count
            FROM \(fragment: counts) GROUP BY 1
        ), span AS (
            SELECT min(day) AS first, least(max(day), min(day) + \(FormTimeline.maxSteps)::integer) AS last FROM counted
        )
        SELECT d.day AT TIME ZONE \(zone), to_char(d.day, 'YYYY-MM-DD'), '', 0, coalesce(c.count, 0)
        FROM span, generate_series(span.first::timestamp, span.last::timestamp, '1 day') AS d (day)
        LEFT JOIN counted c ON c.day = d.day::date
        WHERE (d.day AT TIME ZONE \(zone)) AT TIME ZONE \(zone) >= d.day
            AND ((d.day AT TIME ZONE \(zone)) AT TIME ZONE \(zone))::date = d.day::date
        ORDER BY d.day
        """
    }

    /// Selects steps of `seconds`, each with its date (`2026-11-05`), time (`14:00`) and offset from UTC in seconds.
    /// The first step starts at a full hour or minute in the zone.
    private static func instants(_ counts: Statement, _ unit: String, _ seconds: Int, _ zone: String) -> Statement {
        """
        WITH counts AS MATERIALIZED (
            SELECT t.at, t.count FROM \(fragment: counts)
        ), span AS MATERIALIZED (
            SELECT date_trunc(\(unit), min(c.at), \(zone)) AS first, max(c.at) AS last FROM counts c
        ), counted AS (
            SELECT floor(extract(epoch FROM c.at - span.first) / \(seconds)::integer)::bigint AS step,
                sum(c.count)::bigint AS count
            FROM counts c, span GROUP BY 1
        ), steps AS (
            SELECT g.step, span.first + make_interval(secs => g.step * \(seconds)::integer) AS at
            FROM span, generate_series(0, least(\(FormTimeline.maxSteps)::bigint,
                floor(extract(epoch FROM span.last - span.first) / \(seconds)::integer)::bigint)) AS g (step)
            WHERE span.first IS NOT NULL
        )
        SELECT s.at, to_char(s.at AT TIME ZONE \(zone), 'YYYY-MM-DD'), to_char(s.at AT TIME ZONE \(zone), 'HH24:MI'),
            extract(epoch FROM (s.at AT TIME ZONE \(zone)) - (s.at AT TIME ZONE 'UTC'))::bigint, coalesce(c.count, 0)
        FROM steps s LEFT JOIN counted c ON c.step = s.step
        ORDER BY s.step
        """
    }
}
