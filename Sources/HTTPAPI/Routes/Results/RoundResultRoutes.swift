import Contract
import Domain
import Foundation
import HTTPTypes
import Store
import StrictJSON
import Words

/// Trends and pooled results of a series, changes between rounds, timelines, and rankings.
struct RoundResultRoutes: Sendable {
    let store: Store

    var routes: [Route] {
        let series = "/v1/series/{id}"
        return [
            Route(
                .get, series + "/trend", access: .account(.readResults), query: ["key", "from", "to"], handler: trend),
            Route(.get, series + "/results", access: .account(.readResults), query: ["from", "to"], handler: pooled),
            Route(.get, "/v1/meetings/{id}/results/changes", access: .account(.readResults), handler: changes),
            Route(
                .get, "/v1/meetings/{id}/results/timeline", access: .account(.readResults),
                query: ["bucket", "timeZone", "from", "to"], handler: timeline),
            Route(
                .get, "/v1/rankings", access: .account(.readResults),
                query: ["key", "by", "from", "to", "q", "limit", "cursor"], handler: rankings),
        ]
    }

    private func trend(_ request: APIRequest) async throws -> APIResponse {
        let (id, principal) = try await store.requireSeries(for: request)
        let (key, period) = try request.query { reader in (reader.key(), reader.period()) }
        let rounds = store.seriesRounds(for: principal.account.id)
        return try await rounds.trend(of: id, question: key, from: period.from, to: period.to) { trend in
            try .tagged(Contract.Trend(trend, ofSeries: id))
        }
    }

    private func pooled(_ request: APIRequest) async throws -> APIResponse {
        let (id, principal) = try await store.requireSeries(for: request)
        let period = try request.query { $0.period() }
        let rounds = store.seriesRounds(for: principal.account.id)
        return try await rounds.pooled(of: id, from: period.from, to: period.to) { pooled in
            try .tagged(SeriesResults(pooled, ofSeries: id, from: period.from, to: period.to))
        }
    }

    private func changes(_ request: APIRequest) async throws -> APIResponse {
        let principal = try request.requireCaller()
        let meeting = try await store.meetings.require(request.uuid("id"), by: principal)
        let changes = try await store.seriesRounds(for: principal.account.id).changes(of: meeting)
        return try .tagged(Contract.RoundChanges(changes, of: meeting))
    }

    private func timeline(_ request: APIRequest) async throws -> APIResponse {
        let meeting = try await store.meetings.require(request.uuid("id"), by: request.requireCaller())
        let (bucket, timeZone, period) = try request.query { reader in
            (reader.choice("bucket", of: FormTimeline.Bucket.self), reader.string("timeZone"), reader.period())
        }
        let found = try await store.timelines.read(
            of: meeting, by: bucket, timeZone: timeZone, from: period.from, to: period.to)
        return try .tagged(Timeline(found, of: meeting))
    }
}

extension QueryReader {
    /// The key of a question, which is required.
    mutating func key() -> String {
        guard let key = string("key"), !key.isEmpty else {
            refuse("key", "required", "This is required.")
            return ""
        }
        // PostgreSQL does not accept NUL in text.
        if key.contains("\0") { refuse("key", "unknown-key", "No question has this key.") }
        return key
    }
}

extension RoundResultRoutes {
    /// The ranking query and the requested page.
    private struct RankingRequest: Sendable {
        var query: RankingQuery
        /// A search in titles. It selects the listed items, but changes neither the ranks nor the prior.
        var search: SearchQuery?
        var limit: Int
        var after: RankCursor.Content?
        var cursors: RankCursor
    }

    /// Ranks all items at each request. Later pages use the prior of the first page, so that only items with new
    /// answers move.
    func rankings(_ request: APIRequest) async throws -> APIResponse {
        let principal = try request.requireCaller()
        let ranking = try request.query { try read(&$0, principal) }
        return try await store.rankings.read(ranking.query, by: principal) { ratings in
            try .tagged(Self.page(of: ratings, ranking))
        }
    }

    private static func page(of ratings: RankedRatings, _ request: RankingRequest) -> Contract.Ranking {
        let ranking = Domain.Ranking(ratings.groups, prior: request.after?.prior)
        let listed = request.search.map { Self.listed(ranking.entries, by: $0) } ?? ranking.entries
        let remaining = listed.filter { entry in request.after.map { $0.position < entry.position } ?? true }
        let items = remaining.prefix(request.limit)
        var next: String?
        if remaining.count > items.count, let last = items.last, let prior = ranking.prior {
            next = request.cursors.write(.init(position: last.position, prior: prior))
        }
        return Contract.Ranking(
            key: request.query.key, by: request.query.unit.rawValue,
            scale: .init(min: ratings.scale.lowerBound, max: ratings.scale.upperBound),
            prior: ranking.prior.map { .init($0) }, leftOut: ratings.leftOut,
            items: items.map { RankedGroup($0, of: ranking) }, next: next)
    }

    /// The items whose title, or the title of whose series, contains the text.
    private static func listed(
        _ entries: [Domain.Ranking.Entry], by search: SearchQuery
    ) -> [Domain.Ranking.Entry] {
        let titles = search.found(in: entries.map(\.group.title))
        let series = search.found(in: entries.map(\.group.series))
        return entries.indices.filter { titles[$0] || series[$0] }.map { entries[$0] }
    }

    private func read(_ reader: inout QueryReader, _ principal: Principal) throws -> RankingRequest {
        let key = reader.key()
        if reader.string("by") == nil { reader.refuse("by", "required", "This is required: series or meeting.") }
        let unit = reader.choice("by", of: RankingQuery.Unit.self) ?? .series
        let (from, to) = reader.period()
        let search = reader.searchText("q")
        // A cursor is valid for this query and account only.
        let cursors = try store.rankings.cursors(of: [
            principal.account.id.lowercased, String(principal.isAdmin), key, unit.rawValue,
            from.map(RFC3339.format) ?? "", to.map(RFC3339.format) ?? "", search ?? "",
        ])
        return RankingRequest(
            query: RankingQuery(key: key, unit: unit, from: from, to: to),
            search: search.flatMap { SearchQuery($0) },
            limit: reader.limit(), after: reader.cursor(cursors.read), cursors: cursors)
    }
}
