import Contract

/// The rounds of a series just before and after one of its meetings, as far as there are any.
struct NeighbouringRounds {
    /// Pages of the API's list that are looked through.
    private static let most = 5

    private(set) var values: [String: Any]?

    /// - Parameter place: which of a round's pages to lead to.
    init(of meeting: Meeting, in series: Series, place: String = "", _ visit: HostSession) async throws {
        guard series.rounds > 1, let latest = series.latest else { return }
        // Newest first, no further than to the round before this one.
        var path = "/v1/series/\(series.id)/meetings?limit=\(min(max(latest.round - meeting.round, 0) + 2, 200))"
        var (before, after): (Meeting?, Meeting?)
        for _ in 0..<Self.most {
            let list: MeetingList = try await visit.get(path)
            after = list.items.last { $0.round > meeting.round } ?? after
            before = list.items.first { $0.round < meeting.round }
            guard before == nil, let next = list.next else { break }
            path = "/v1/series/\(series.id)/meetings?limit=200&cursor=\(PathQuery.encode(next))"
        }
        guard before != nil || after != nil else { return }
        var values: [String: Any] = [:]
        for (name, round) in [("earlier", before), ("later", after)] {
            values[name] = round.map { ["href": "/meetings/\($0.id)\(place)", "number": $0.round] }
        }
        self.values = values
    }
}
