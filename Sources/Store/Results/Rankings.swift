import Domain
import Foundation
import Postgres
import StrictJSON

/// The question to rank by, and the meetings to rank.
public struct RankingQuery: Sendable {
    public enum Unit: String, Sendable, CaseIterable {
        case series, meeting
    }

    public var key: String
    public var unit: Unit
    /// The half-open period in which the meetings start. Undated meetings are included if neither bound is given.
    public var from: Date?
    public var to: Date?

    public init(key: String, unit: Unit, from: Date? = nil, to: Date? = nil) {
        self.key = key
        self.unit = unit
        self.from = from
        self.to = to
    }
}

/// The groups of a ranking with the released counts of their answers.
public struct RankedRatings: Sendable {
    /// The scale with the most answers. Only questions with this scale are ranked.
    public var scale: ClosedRange<Int>
    public var groups: [Ranking.Group]
    /// The number of meetings that are not ranked, because their question has another scale or is not a rating.
    public var leftOut: Int
}

/// Ranks meetings or series by the ratings of one question, over all meetings that the caller may see. Reads the
/// maintained tallies.
public struct Rankings: Sendable {
    /// The maximum number of meetings that are ranked at once.
    public static let maxMeetings = 50_000

    let readings: RoundReadings
    let keys: KeyRing

    /// Reads the released counts of the query's meetings. Throws 422 if no visible form contains the question, or if
    /// none of them has it as a rating, and 503 if other results over rounds are being read for the account for too long.
    ///
    /// - Parameter render: Builds the response from the groups. Called on a separate thread.
    public func read<T: Sendable>(
        _ query: RankingQuery, by principal: Principal, _ render: @escaping @Sendable (RankedRatings) throws -> T
    ) async throws -> T {
        let accountID = principal.account.id
        return try await readings.run(for: accountID) { connection in
            let rows = try await connection.query(Self.statement(query, for: principal))
            guard rows.count <= Self.maxMeetings else {
                throw Problem(
                    invalid: "?from", code: "too-many-meetings",
                    "At most \(Self.maxMeetings) meetings are ranked at once; choose a shorter period with from and to."
                )
            }
            let candidates = try await readings.compute(for: accountID) { try rows.map(CandidateForm.init) }
            let rated = candidates.filter { $0.scale != nil }
            guard !rated.isEmpty else {
                // No form of this period has the question as a rating. The key is unknown only if no form of any period
                // contains it.
                return CandidateCounts(
                    scale: try await Self.scale(of: query.key, for: principal, on: connection),
                    candidates: candidates)
            }
            return CandidateCounts(
                candidates: candidates,
                rows: try await Self.releasedCounts(query.key, of: rated.map(\.formID), on: connection))
        } showing: { counts in
            try counts.snapshots
        } then: { counts in
            try render(counts.ranked(by: query.unit))
        }
    }

    /// Returns a value that encodes and decodes the cursors of one ranking's pages.
    ///
    /// - Parameter query: The parts of the request that identify the ranking.
    public func cursors(of query: [String]) throws -> RankCursor { try RankCursor(of: query, keys: keys) }

    /// A form that contains the question.
    fileprivate struct CandidateForm {
        var formID: UUID
        var meetingID: UUID
        var seriesID: UUID
        var meeting: Ranking.Meeting
        var title: String
        var series: String
        /// Nil for a question that is not a rating.
        var scale: ClosedRange<Int>?

        init(_ row: Row) throws {
            var columns = Columns(row)
            formID = try columns.next()
            meetingID = try columns.next()
            seriesID = try columns.next()
            meeting = Ranking.Meeting(round: try columns.next(), startsAt: try columns.next())
            title = try columns.next()
            series = try columns.next()
            if let low = try columns.next(Int?.self), let high = try columns.next(Int?.self), low <= high {
                scale = low...high
            }
        }
    }

    /// Selects the forms that contain the question. For a caller who is not an admin, the query starts with the
    /// caller's series, because many other forms may contain the key.
    static func statement(_ query: RankingQuery, for principal: Principal) -> Statement {
        """
        SELECT q.form_id, m.id, s.id, m.round, m.starts_at, m.title, s.title,
            (q.definition->>'min')::integer, (q.definition->>'max')::integer
        \(fragment: tables(asking: query.key, for: principal))
            AND (\(query.from)::timestamptz IS NULL OR m.starts_at >= \(query.from)::timestamptz)
            AND (\(query.to)::timestamptz IS NULL OR m.starts_at < \(query.to)::timestamptz)
        ORDER BY m.id LIMIT \(maxMeetings + 1)
        """
    }

    /// The tables of `statement`, for the visible forms that contain the question.
    private static func tables(asking key: String, for principal: Principal) -> Statement {
        """
        FROM series s
        JOIN meeting m ON m.series_id = s.id
        JOIN form f ON f.meeting_id = m.id
        JOIN question q ON q.form_id = f.id
        WHERE q.key = \(key) AND m.deleted_at IS NULL AND \(fragment: Access.isInListedSeries(for: principal))
        """
    }

    /// Returns the most frequent scale of all meetings, in any period.
    private static func scale(
        of key: String, for principal: Principal, on connection: Connection
    ) async throws -> ClosedRange<Int> {
        let rows = try await connection.query(
            """
            SELECT a.low, a.high FROM (
                SELECT (q.definition->>'min')::integer AS low, (q.definition->>'max')::integer AS high
                \(fragment: tables(asking: key, for: principal))
            ) a
            GROUP BY a.low, a.high ORDER BY a.low IS NULL, count(*) DESC, a.low, a.high LIMIT 1
            """)
        guard let row = rows.first else {
            throw Problem(invalid: "?key", code: "unknown-key", "No form that you may see contains this question.")
        }
        let (low, high) = try row.decode(Int?.self, Int?.self)
        guard let low, let high, low <= high else {
            throw Problem(invalid: "?key", code: "not-a-rating", "Only ratings are ranked.")
        }
        return low...high
    }

    /// Reads the released counts of each form's ratings in one snapshot, with the form's released number of submissions
    /// by question set for the release log.
    private static func releasedCounts(
        _ key: String, of formIDs: [UUID], on connection: Connection
    ) async throws -> Rows {
        try await connection.query(
            """
            SELECT r.form_id, bool_or(r.is_shown), coalesce(sum(r.seen), 0)::bigint,
                coalesce(sum(r.seen * r.rating), 0)::bigint, coalesce(sum(r.seen * r.rating * r.rating), 0)::bigint,
                array_agg(r.question_set) FILTER (WHERE r.recorded > 0), array_agg(r.recorded) FILTER (WHERE r.recorded > 0)
            FROM (
                SELECT fs.form_id, t.question_set,
                    CASE WHEN t.question = '' AND \(fragment: ShownState.needsRecording) THEN t.shown END AS recorded,
                    CASE WHEN t.question <> '' THEN \(fragment: ShownState.shownCount) END AS seen,
                    CASE WHEN t.question <> '' THEN t.bucket::bigint END AS rating,
                    fs.submissions = 0 OR fs.minimum_group <= 1 OR coalesce(t.shown, 0) > 0 AS is_shown
                FROM form_state fs
                LEFT JOIN tally t ON t.form_id = fs.form_id
                    AND (t.question = \(key) AND t.bucket ~ '^[0-9]{1,2}$'
                        OR \(fragment: ShownState.countsSubmissions) AND t.bucket = \(TallyKey.submissions))
                WHERE fs.form_id = ANY (\(formIDs))
            ) r
            GROUP BY r.form_id
            """)
    }
}

/// The forms that contain the question and the rows of their counts, before they are combined.
private struct CandidateCounts: Sendable {
    /// Set only if no form of the period has the question as a rating: the most frequent scale in any period.
    var scale: ClosedRange<Int>?
    var candidates: [Rankings.CandidateForm]
    /// The rows of `releasedCounts`.
    var rows: Rows?

    var snapshots: [UUID: ReleasedSnapshot] {
        get throws {
            var snapshots: [UUID: ReleasedSnapshot] = [:]
            for row in rows.map(Array.init) ?? [] {
                guard let sets = try row.decode([Int]?.self, at: 5), let counts = try row.decode([Int]?.self, at: 6)
                else { continue }
                snapshots[try row.decode(UUID.self, at: 0)] = ReleasedSnapshot(
                    shown: Dictionary(zip(sets, counts), uniquingKeysWith: max))
            }
            return snapshots
        }
    }

    func ranked(by unit: RankingQuery.Unit) throws -> RankedRatings {
        var ratings: [UUID: RatingSums] = [:]
        if let rows {
            for row in rows {
                var columns = Columns(row)
                let formID: UUID = try columns.next()
                let isShown: Bool = try columns.next()
                let sums = RatingSums(count: try columns.next(), sum: try columns.next(), squares: try columns.next())
                ratings[formID] = isShown ? sums : nil
            }
        }
        let scale = scale ?? mostFrequentScale(ratings)
        let ranked = candidates.filter { $0.scale == scale }
        let groups =
            switch unit {
            case .meeting: byMeeting(ranked, ratings)
            case .series: bySeries(ranked, ratings)
            }
        return RankedRatings(scale: scale, groups: groups, leftOut: candidates.count - ranked.count)
    }

    /// Returns the scale with the most answers. Of several such scales, returns the longest, then the one with the
    /// highest start, so that each request returns the same.
    private func mostFrequentScale(_ ratings: [UUID: RatingSums]) -> ClosedRange<Int> {
        var counts: [ClosedRange<Int>: Int] = [:]
        for form in candidates {
            if let scale = form.scale { counts[scale, default: 0] += ratings[form.formID]?.count ?? 0 }
        }
        let mostFrequent = counts.max {
            ($0.value, $0.key.count, $0.key.lowerBound) < ($1.value, $1.key.count, $1.key.lowerBound)
        }
        return mostFrequent?.key ?? 1...5
    }

    private func byMeeting(_ forms: [Rankings.CandidateForm], _ ratings: [UUID: RatingSums]) -> [Ranking.Group] {
        forms.compactMap { form in
            ratings[form.formID].map {
                Ranking.Group(
                    id: form.meetingID, seriesID: form.seriesID, series: form.series, meeting: form.meeting,
                    title: form.title, answers: $0)
            }
        }
    }

    private func bySeries(_ forms: [Rankings.CandidateForm], _ ratings: [UUID: RatingSums]) -> [Ranking.Group] {
        Dictionary(grouping: forms, by: \.seriesID).compactMap { id, forms in
            let seriesRatings = forms.compactMap { ratings[$0.formID] }
            return Ranking.Group(
                id: id, seriesID: id, series: forms[0].series, title: forms[0].series,
                answers: seriesRatings.reduce(RatingSums(count: 0, sum: 0, squares: 0), +))
        }.sorted { $0.id.uuidString < $1.id.uuidString }
    }
}
