import Domain
import HTTPTypes
import Store
import StrictJSON

extension RoundResultRoutes {
    /// What is ranked, and which part of it is shown.
    private struct Asked: Sendable {
        var query: RankingQuery
        /// Words of the title: they choose what is listed and neither places nor the prior.
        var words: String?
        var limit: Int
        var after: RankCursor.Place?
        var cursors: RankCursor
    }

    /// Everything is ranked at each request; later pages go on by the prior of the first, so that only what was answered
    /// meanwhile moves.
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
        // A cursor is one of these pages alone.
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
