import Contract
import Foundation
import StrictJSON

extension Endpoint {
    static let getTrend = Endpoint("GET", "/v1/series/{id}/trend")
    static let getSeriesResults = Endpoint("GET", "/v1/series/{id}/results")
    static let getRoundChanges = Endpoint("GET", "/v1/meetings/{id}/results/changes")
    static let getTimeline = Endpoint("GET", "/v1/meetings/{id}/results/timeline")
    static let listRankings = Endpoint("GET", "/v1/rankings")

    static let trends = [getTrend, getSeriesResults, getRoundChanges, getTimeline, listRankings]
}

extension Afterword.Host {
    /// One question from round to round, optionally only in rounds that start within a period.
    public func trend(
        of series: ResourceID, question key: String, from: Date? = nil, to: Date? = nil
    ) async throws -> Trend {
        try await call(.getTrend, series, query: ["key": key, "from": Self.rfc3339(from), "to": Self.rfc3339(to)])
            .value()
    }

    /// The pooled results of a series, optionally only of rounds that start within a period. Rounds without a date are
    /// included unless a period is given.
    public func results(
        ofSeries series: ResourceID, from: Date? = nil, to: Date? = nil
    ) async throws -> Tagged<SeriesResults> {
        try await call(.getSeriesResults, series, query: ["from": Self.rfc3339(from), "to": Self.rfc3339(to)]).tagged()
    }

    /// Fetches the results again. Returns the same value if nothing has changed.
    public func refresh(_ results: Tagged<SeriesResults>) async throws -> Tagged<SeriesResults> {
        let reply = try await call(
            .getSeriesResults, results.value.seriesId,
            query: ["from": Self.rfc3339(results.value.from), "to": Self.rfc3339(results.value.to)],
            unlessMatching: results.tag)
        return reply.status == 304 ? results : try reply.tagged()
    }

    /// How the numbers of a meeting differ from those of earlier rounds, for all questions at once. If both forms name
    /// the people who answered, those who answered in both rounds are compared with themselves.
    public func changes(of meeting: ResourceID) async throws -> Tagged<RoundChanges> {
        try await call(.getRoundChanges, meeting).tagged()
    }

    /// The number of submissions over time.
    ///
    /// - Parameters:
    ///   - bucket: An hour if nil. An anonymous form has only days, which are also its default.
    ///   - timeZone: The time zone of days and labels. The meeting's own if nil, or UTC for an anonymous form.
    ///   - from: Leaves out earlier submissions.
    ///   - to: Leaves out submissions at this time or later.
    public func timeline(
        of meeting: ResourceID, by bucket: TimelineBucket? = nil, timeZone: String? = nil, from: Date? = nil,
        to: Date? = nil
    ) async throws -> Timeline {
        try await call(
            .getTimeline, meeting,
            query: [
                "bucket": bucket?.rawValue, "timeZone": timeZone, "from": Self.rfc3339(from), "to": Self.rfc3339(to),
            ]
        ).value()
    }

    /// All series with answers to a rating question with this key, best first; with `by: .meeting`, all meetings.
    ///
    /// - Parameter query: Lists only series or meetings whose title contains this text. Ranks and the prior still cover
    ///   all of them.
    public func rankings(
        of key: String, by unit: RankingUnit = .series, from: Date? = nil, to: Date? = nil, query: String? = nil
    ) -> Pages<RankedGroup> {
        pages(.listRankings, query: Self.rankingQuery(key, unit, from, to, query))
    }

    /// One page of a ranking, with its prior, its scale and the number of meetings left out.
    public func ranking(
        of key: String, by unit: RankingUnit = .series, from: Date? = nil, to: Date? = nil, query: String? = nil,
        limit: Int? = nil, after cursor: String? = nil
    ) async throws -> Ranking {
        var query = Self.rankingQuery(key, unit, from, to, query)
        query.pairs += [("limit", limit.map(String.init)), ("cursor", cursor)]
        return try await call(.listRankings, query: query).value()
    }

    private static func rankingQuery(
        _ key: String, _ unit: RankingUnit, _ from: Date?, _ to: Date?, _ title: String?
    ) -> Query {
        ["key": key, "by": unit.rawValue, "from": rfc3339(from), "to": rfc3339(to), "q": title]
    }

    private static func rfc3339(_ date: Date?) -> String? { date.map(RFC3339.format) }
}

/// The width of a timeline's steps.
public enum TimelineBucket: String, Sendable, CaseIterable {
    case minute, hour, day
}

/// The unit of a ranking.
public enum RankingUnit: String, Sendable, CaseIterable {
    case series, meeting
}

extension SeriesResults {
    /// The question with this key, or nil if no round contains it.
    public subscript(question key: String) -> QuestionResults? {
        questions.first { $0.results.key == key }?.results
    }
}

extension Trend {
    /// The dataset with this id, such as `mean` or an option's id.
    public subscript(dataset id: String) -> Dataset? { datasets.first { $0.id == id } }
}
