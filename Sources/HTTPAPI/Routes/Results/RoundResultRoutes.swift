import Domain
import HTTPTypes
import Store
import StrictJSON

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Trends and pooled results of a series, timelines, and rankings.
struct RoundResultRoutes: Sendable {
    let store: Store

    var routes: [Route] {
        let series = "/v1/series/{id}"
        return [
            Route(
                .get, series + "/trend", access: .account(.readResults), query: ["key", "from", "to"], handler: trend),
            Route(.get, series + "/results", access: .account(.readResults), query: ["from", "to"], handler: pooled),
            Route(
                .get, "/v1/meetings/{id}/results/timeline", access: .account(.readResults),
                query: ["bucket", "timeZone", "from", "to"], handler: timeline),
            Route(
                .get, "/v1/rankings", access: .account(.readResults),
                query: ["key", "by", "from", "to", "q", "limit", "cursor"], handler: rankings),
        ]
    }

    private func trend(_ request: APIRequest) async throws -> APIResponse {
        let id = try request.uuid("id")
        try await store.meetings.requireSeries(id, by: request.requireCaller())
        let (key, period) = try request.query { reader in (reader.key(), reader.period()) }
        return try await store.seriesRounds.trend(of: id, question: key, from: period.from, to: period.to) { trend in
            let body = trend.body(ofSeries: id)
            return .json(body).tagged(ETag(digestOf: body))
        }
    }

    private func pooled(_ request: APIRequest) async throws -> APIResponse {
        let id = try request.uuid("id")
        try await store.meetings.requireSeries(id, by: request.requireCaller())
        let period = try request.query { $0.period() }
        return try await store.seriesRounds.pooled(of: id, from: period.from, to: period.to) { pooled in
            let body = pooled.body(ofSeries: id, from: period.from, to: period.to)
            return .json(body).tagged(ETag(digestOf: body))
        }
    }

    private func timeline(_ request: APIRequest) async throws -> APIResponse {
        let meeting = try await store.meetings.require(request.uuid("id"), by: request.requireCaller())
        let (bucket, timeZone, period) = try request.query { reader in
            (reader.choice("bucket", of: FormTimeline.Bucket.self), reader.string("timeZone"), reader.period())
        }
        let body = try await store.timelines.read(
            of: meeting, by: bucket, timeZone: timeZone, from: period.from, to: period.to
        ).body(of: meeting)
        return .json(body).tagged(ETag(digestOf: body))
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

    /// `from` and `to` as dates or instants; `to` is exclusive.
    mutating func period() -> (from: Date?, to: Date?) {
        let (from, to) = (dateOrInstant("from"), dateOrInstant("to"))
        if let from, let to, to <= from { refuse("to", "ends-before-start", "`to` must be later than `from`.") }
        return (from, to)
    }
}

extension Trend {
    func body(ofSeries id: UUID) -> JSONValue {
        .object([.init("seriesId", .string(id.lowercased))] + members)
    }
}

extension PooledRounds {
    func body(ofSeries id: UUID, from: Date?, to: Date?) -> JSONValue {
        let response = ResponseRate(of: rounds.compactMap(\.responseRate))
        let headcounts = rounds.compactMap(\.headcount)
        return .object([
            .init("seriesId", .string(id.lowercased)),
            .init("from", JSONValue(from.map(RFC3339.format))),
            .init("to", JSONValue(to.map(RFC3339.format))),
            .init("rounds", .array(rounds.map { JSONValue($0.round) })),
            .init("submissions", JSONValue(rounds.reduce(0) { $0 + $1.submissions })),
            .init("headcount", JSONValue(headcounts.isEmpty ? nil : headcounts.reduce(0, +))),
            .init("attended", JSONValue(rounds.reduce(0) { $0 + $1.attended })),
            .init("responseRate", JSONValue(response?.rate)),
            .init("responseBase", JSONValue(response?.base.rawValue)),
            .init("withheld", withheld),
            .init("questions", .array(questions.map(\.json))),
            .init("changes", .array(changes.map(\.json))),
            .init("changesCut", .bool(isCut)),
        ])
    }

    /// The smallest minimum group that withholds something, the number of submissions shown in all rounds, and the
    /// rounds that show fewer than they have.
    private var withheld: JSONValue {
        let held = rounds.filter { $0.withheld != nil }
        guard let minimum = held.compactMap({ $0.withheld?.minimum }).min() else { return .null }
        let shown = rounds.reduce(0) { $0 + ($1.withheld?.shown ?? $1.submissions) }
        return .object([
            .init("reason", .string("minimum-group")), .init("minimum", JSONValue(minimum)),
            .init("shown", JSONValue(shown)), .init("rounds", .array(held.map { JSONValue($0.round) })),
        ])
    }
}

extension FormTimeline {
    fileprivate func body(of meeting: Meeting) -> JSONValue {
        var total = 0
        let points = steps.map { step -> JSONValue in
            total += step.count
            return .object([
                .init("at", JSONValue(step.startsAt)), .init("count", JSONValue(step.count)),
                .init("total", JSONValue(total)),
            ])
        }
        let counts = JSONValue.object([
            .init("id", .string("submissions")), .init("label", .string("Submissions")),
            .init("data", .array(steps.map { JSONValue($0.count) })),
        ])
        return .object([
            .init("meetingId", .string(meeting.id.lowercased)),
            .init("formId", .string(meeting.form.id.lowercased)),
            .init("bucket", .string(bucket.rawValue)),
            .init("timeZone", .string(timeZone)),
            .init("labels", .array(steps.map { .string($0.label) })),
            .init("startsAt", .array(steps.map { JSONValue($0.startsAt) })),
            .init("datasets", .array([counts])),
            .init("points", .array(points)),
        ])
    }
}

extension RoundResultRoutes {
    /// The ranking query and the requested page.
    private struct Asked: Sendable {
        var query: RankingQuery
        /// A search in titles. It selects the listed items, but changes neither the ranks nor the prior.
        var words: String?
        var limit: Int
        var after: RankCursor.Place?
        var cursors: RankCursor
    }

    /// Ranks all items at each request. Later pages use the prior of the first page, so that only items with new
    /// answers move.
    func rankings(_ request: APIRequest) async throws -> APIResponse {
        let principal = try request.requireCaller()
        let asked = try request.query { try read(&$0, principal) }
        return try await store.rankings.read(asked.query, by: principal) { ratings in
            let body = Self.page(of: ratings, asked)
            return .json(body).tagged(ETag(digestOf: body))
        }
    }

    private static func page(of ratings: RankedRatings, _ asked: Asked) -> JSONValue {
        let ranking = Ranking(ratings.groups, prior: asked.after?.prior)
        let listed = ranking.places.filter { place in
            guard let words = asked.words?.lowercased() else { return true }
            return place.group.title.lowercased().contains(words) || place.group.series.lowercased().contains(words)
        }
        let rest = listed.filter { place in asked.after.map { $0.position < place.position } ?? true }
        let items = rest.prefix(asked.limit)
        var next: String?
        if rest.count > items.count, let last = items.last, let prior = ranking.prior {
            next = asked.cursors.write(.init(position: last.position, prior: prior))
        }
        return .object([
            .init("key", .string(asked.query.key)),
            .init("by", .string(asked.query.unit.rawValue)),
            .init(
                "scale",
                .object([
                    .init("min", JSONValue(ratings.scale.lowerBound)),
                    .init("max", JSONValue(ratings.scale.upperBound)),
                ])),
            .init("prior", ranking.prior?.json ?? .null),
            .init("leftOut", JSONValue(ratings.leftOut)),
            .init("items", .array(items.map(\.json))),
            .init("next", JSONValue(next)),
        ])
    }

    private func read(_ reader: inout QueryReader, _ principal: Principal) throws -> Asked {
        let key = reader.key()
        if reader.string("by") == nil { reader.refuse("by", "required", "This is required: series or meeting.") }
        let unit = reader.choice("by", of: RankingQuery.Unit.self) ?? .series
        let (from, to) = reader.period()
        let words = reader.string("q").flatMap { $0.isEmpty ? nil : $0 }
        // A cursor is valid for this query and account only.
        let cursors = try store.rankings.cursors(of: [
            principal.account.id.lowercased, String(principal.isAdmin), key, unit.rawValue,
            from.map(RFC3339.format) ?? "", to.map(RFC3339.format) ?? "", words ?? "",
        ])
        return Asked(
            query: RankingQuery(key: key, unit: unit, from: from, to: to), words: words,
            limit: reader.int("limit", in: 1...200) ?? 50, after: reader.cursor("cursor", cursors.read),
            cursors: cursors)
    }
}

extension Credibility {
    fileprivate var json: JSONValue {
        .object([
            .init("mean", JSONValue(mean)), .init("weight", JSONValue(weight)),
            .init("method", .string(method.rawValue)), .init("within", JSONValue(within)),
            .init("between", JSONValue(between)),
        ])
    }
}

extension Ranking.Place {
    fileprivate var json: JSONValue {
        var members: [JSONValue.Member] = [
            .init("rank", JSONValue(rank)),
            .init("seriesId", .string(group.seriesID.lowercased)),
            .init("series", .string(group.series)),
        ]
        if let meeting = group.meeting {
            members += [
                .init("meetingId", .string(group.id.lowercased)), .init("round", JSONValue(meeting.round)),
                .init("startsAt", JSONValue(meeting.startsAt)),
            ]
        }
        return .object(
            members + [
                .init("title", .string(group.title)), .init("n", JSONValue(group.answers.count)),
                .init("mean", JSONValue(mean)), .init("shrunk", JSONValue(shrunk)),
                .init("low", JSONValue(interval?.low)), .init("high", JSONValue(interval?.high)),
            ])
    }
}
