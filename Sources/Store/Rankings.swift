import Domain
import Foundation
import Postgres
import StrictJSON

/// What to rank, and of which meetings.
public struct RankingQuery: Sendable {
    public enum Unit: String, Sendable, CaseIterable {
        case series, meeting
    }

    public var key: String
    public var unit: Unit
    /// The meetings' start, half-open; undated ones are in unless a period is given.
    public var from: Date?
    public var to: Date?

    public init(key: String, unit: Unit, from: Date? = nil, to: Date? = nil) {
        self.key = key
        self.unit = unit
        self.from = from
        self.to = to
    }
}

/// The groups of a ranking with what is shown of their answers.
public struct RankedRatings: Sendable {
    /// The scale of most of the answers, by which all are ranked.
    public var scale: ClosedRange<Int>
    public var groups: [Ranking.Group]
    /// Meetings whose question of this key has another scale, or is no rating.
    public var leftOut: Int
}

/// Ratings of one key over everything that somebody may see, from the maintained tallies.
public struct Rankings: Sendable {
    /// Meetings that are ranked at once.
    public static let most = 50_000

    let pool: Pool

    /// 422 where nothing that the caller may see asks the question, or where it is no rating anywhere.
    public func read(_ query: RankingQuery, by principal: Principal) async throws -> RankedRatings {
        try await pool.withConnection { connection in
            let asked = try await Self.asked(query, by: principal, on: connection)
            guard !asked.isEmpty else {
                throw Self.refusal("?key", "unknown-key", "No form that you may see asks this.")
            }
            guard asked.count <= Self.most else {
                throw Self.refusal(
                    "?from", "too-many-meetings",
                    "At most \(Self.most) meetings are ranked at once: give a shorter period by from and to.")
            }
            let rated = asked.filter { $0.scale != nil }
            guard !rated.isEmpty else { throw Self.refusal("?key", "not-a-rating", "Only ratings are ranked.") }
            let shown = try await Self.shown(query.key, of: rated.map(\.formID), on: connection)
            return Self.group(asked, shown, by: query.unit)
        }
    }

    private static func refusal(_ pointer: String, _ code: String, _ detail: String) -> Problem {
        Problem([Fault(.invalid, at: pointer, code: code, detail)])
    }

    /// A form that asks the question.
    private struct Asked {
        var formID: UUID
        var meetingID: UUID
        var seriesID: UUID
        var meeting: Ranking.Meeting
        var title: String
        var series: String
        /// Nil of what is no rating.
        var scale: ClosedRange<Int>?
    }

    private static func asked(
        _ query: RankingQuery, by principal: Principal, on connection: Connection
    ) async throws -> [Asked] {
        let rows = try await connection.query(
            """
            SELECT q.form_id, m.id, s.id, m.round, m.starts_at, m.title, s.title,
                (q.definition->>'min')::integer, (q.definition->>'max')::integer
            FROM question q
            JOIN form f ON f.id = q.form_id
            JOIN meeting m ON m.id = f.meeting_id
            JOIN series s ON s.id = m.series_id
            WHERE q.key = \(query.key) AND m.deleted_at IS NULL AND \(fragment: Access.isListed(for: principal))
                AND (\(query.from)::timestamptz IS NULL OR m.starts_at >= \(query.from)::timestamptz)
                AND (\(query.to)::timestamptz IS NULL OR m.starts_at < \(query.to)::timestamptz)
            ORDER BY m.id LIMIT \(most + 1)
            """)
        return try rows.map { row in
            var columns = Columns(row)
            var asked = Asked(
                formID: try columns.next(), meetingID: try columns.next(), seriesID: try columns.next(),
                meeting: Ranking.Meeting(round: try columns.next(), startsAt: try columns.next()),
                title: try columns.next(), series: try columns.next())
            if let low = try columns.next(Int?.self), let high = try columns.next(Int?.self), low <= high {
                asked.scale = low...high
            }
            return asked
        }
    }

    /// What may be seen of each form's ratings; state and tallies are of one snapshot.
    private static func shown(
        _ key: String, of formIDs: [UUID], on connection: Connection
    ) async throws -> [UUID: Moments] {
        let rows = try await connection.query(
            """
            SELECT r.form_id, bool_or(r.is_shown), coalesce(sum(r.seen), 0)::bigint,
                coalesce(sum(r.seen * r.rating), 0)::bigint, coalesce(sum(r.seen * r.rating * r.rating), 0)::bigint
            FROM (
                SELECT fs.form_id,
                    CASE WHEN t.question <> '' THEN \(fragment: ShownState.seen) END AS seen,
                    CASE WHEN t.question <> '' THEN t.bucket::bigint END AS rating,
                    fs.submissions = 0 OR fs.minimum_group <= 1 OR coalesce(t.shown, 0) > 0 AS is_shown
                FROM form_state fs
                LEFT JOIN tally t ON t.form_id = fs.form_id
                    AND (t.question = \(key) AND t.bucket ~ '^[0-9]{1,2}$'
                        OR \(fragment: ShownState.ofSubmissions) AND t.bucket = \(TallyKey.submissions))
                WHERE fs.form_id = ANY (\(formIDs))
            ) r
            GROUP BY r.form_id
            """)
        return try rows.reduce(into: [:]) { all, row in
            var columns = Columns(row)
            let formID: UUID = try columns.next()
            let isShown: Bool = try columns.next()
            let seen = try Moments.read(&columns)
            all[formID] = isShown ? seen : nil
        }
    }

    private static func group(
        _ asked: [Asked], _ shown: [UUID: Moments], by unit: RankingQuery.Unit
    ) -> RankedRatings {
        var answers: [ClosedRange<Int>: Int] = [:]
        for form in asked { if let scale = form.scale { answers[scale, default: 0] += shown[form.formID]?.count ?? 0 } }
        // Of scales with as many answers the longer one, then the one that begins higher: the same in every reading.
        let scale = answers.max {
            ($0.value, $0.key.count, $0.key.lowerBound) < ($1.value, $1.key.count, $1.key.lowerBound)
        }
        let chosen = scale?.key ?? 1...5
        let ranked = asked.filter { $0.scale == chosen }
        let groups: [Ranking.Group]
        switch unit {
        case .meeting:
            groups = ranked.compactMap { form in
                shown[form.formID].map {
                    Ranking.Group(
                        id: form.meetingID, seriesID: form.seriesID, series: form.series, meeting: form.meeting,
                        title: form.title, answers: $0)
                }
            }
        case .series:
            groups = Dictionary(grouping: ranked, by: \.seriesID).compactMap { id, forms in
                let all = forms.compactMap { shown[$0.formID] }
                return Ranking.Group(
                    id: id, seriesID: id, series: forms[0].series, title: forms[0].series,
                    answers: all.reduce(Moments(count: 0, sum: 0, squares: 0), +))
            }.sorted { $0.id.uuidString < $1.id.uuidString }
        }
        return RankedRatings(scale: chosen, groups: groups, leftOut: asked.count - ranked.count)
    }
}

extension Moments {
    fileprivate static func read(_ columns: inout Columns) throws -> Moments {
        Moments(count: try columns.next(), sum: try columns.next(), squares: try columns.next())
    }
}

extension Store {
    public var rankings: Rankings { Rankings(pool: pool) }
}
