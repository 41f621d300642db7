import Contract
import StrictJSON

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Endpoint {
    static let getTrend = Endpoint("GET", "/v1/series/{id}/trend")
    static let getSeriesResults = Endpoint("GET", "/v1/series/{id}/results")
    static let getTimeline = Endpoint("GET", "/v1/meetings/{id}/results/timeline")
    static let listRankings = Endpoint("GET", "/v1/rankings")

    static let trends = [getTrend, getSeriesResults, getTimeline, listRankings]
}

extension Afterword.Host {
    /// A question over the rounds of a series, those of a period alone if one is given.
    public func trend(
        of series: ResourceID, question key: String, from: Date? = nil, to: Date? = nil
    ) async throws -> Trend {
        try await call(.getTrend, series, query: ["key": key, "from": Self.text(from), "to": Self.text(to)]).value()
    }

    /// The results of all rounds of a series counted together, or of those that start within a period; undated ones are
    /// in unless there is one.
    public func results(
        ofSeries series: ResourceID, from: Date? = nil, to: Date? = nil
    ) async throws -> Tagged<SeriesResults> {
        try await call(.getSeriesResults, series, query: ["from": Self.text(from), "to": Self.text(to)]).tagged()
    }

    /// The results again; what was known, if nothing has changed since.
    public func refresh(_ results: Tagged<SeriesResults>) async throws -> Tagged<SeriesResults> {
        let reply = try await call(
            .getSeriesResults, results.value.seriesId,
            query: ["from": Self.text(results.value.from), "to": Self.text(results.value.to)], unless: results.tag)
        return reply.status == 304 ? results : try reply.tagged()
    }

    /// When a form's submissions came.
    ///
    /// - Parameters:
    ///   - bucket: nil is an hour, of an anonymous form a day, the only one it has.
    ///   - timeZone: of days and labels; the meeting's own if it is nil.
    ///   - from: leaves out what came before.
    ///   - to: leaves out what came then or later.
    public func timeline(
        of meeting: ResourceID, by bucket: TimelineBucket? = nil, timeZone: String? = nil, from: Date? = nil,
        to: Date? = nil
    ) async throws -> Timeline {
        try await call(
            .getTimeline, meeting,
            query: ["bucket": bucket?.rawValue, "timeZone": timeZone, "from": Self.text(from), "to": Self.text(to)]
        ).value()
    }

    /// Every series in which a rating of this key was answered, the best first; with `by: .meeting` every meeting.
    ///
    /// - Parameter words: what the titles of those that are listed contain; places and prior are of all.
    public func rankings(
        of key: String, by unit: RankingUnit = .series, from: Date? = nil, to: Date? = nil, words: String? = nil
    ) -> Pages<RankedGroup> {
        Pages { cursor, limit in
            try await rankingCall(key, unit, from, to, words, limit, cursor).value()
        }
    }

    /// One page of the same with what it rests on: the prior, the scale, and what is left out.
    public func ranking(
        of key: String, by unit: RankingUnit = .series, from: Date? = nil, to: Date? = nil, words: String? = nil,
        limit: Int? = nil, after cursor: String? = nil
    ) async throws -> Ranking {
        try await rankingCall(key, unit, from, to, words, limit, cursor).value()
    }

    private func rankingCall(
        _ key: String, _ unit: RankingUnit, _ from: Date?, _ to: Date?, _ words: String?, _ limit: Int?,
        _ cursor: String?
    ) async throws -> Reply {
        try await call(
            .listRankings,
            query: [
                "key": key, "by": unit.rawValue, "from": Self.text(from), "to": Self.text(to), "q": words,
                "limit": limit.map(String.init), "cursor": cursor,
            ])
    }

    private static func text(_ date: Date?) -> String? { date.map(RFC3339.format) }
}

/// What a timeline counts by.
public enum TimelineBucket: String, Sendable, CaseIterable {
    case minute, hour, day
}

/// What is ranked.
public enum RankingUnit: String, Sendable, CaseIterable {
    case series, meeting
}

extension SeriesResults {
    /// A question by its key; nil if no round asked it.
    public subscript(question key: String) -> QuestionResults? {
        questions.first { $0.results.key == key }?.results
    }
}

extension Trend {
    /// One of the numbers, by its id: `mean`, an option's id.
    public subscript(dataset id: String) -> Dataset? { datasets.first { $0.id == id } }
}
