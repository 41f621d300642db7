import Contract

/// The rounds that a series' page lists: the newest, or all of them on demand.
struct RoundList {
    /// About a quarter of weekly rounds.
    private static let first = 12
    /// Rounds that one page lists at most.
    private static let most = 1000

    private(set) var shown: [Meeting]
    /// Whether there are more rounds than one page lists.
    private(set) var isCut = false
    /// How many there are, where not all of them are shown.
    private(set) var all: Int?

    /// - Parameter known: the newest rounds, as the page has them anyway.
    init(of source: String, _ known: MeetingList, total: Int, _ visit: HostSession) async throws {
        guard visit.page.query["rounds"] == "all" else {
            shown = Array(known.items.prefix(Self.first))
            all = total > shown.count ? total : nil
            return
        }
        shown = known.items
        var next = known.next
        while let cursor = next, shown.count < Self.most {
            let more: MeetingList = try await visit.get(
                "\(source)/meetings?limit=200&cursor=\(PageRequest.word(cursor))")
            shown += more.items
            next = more.next
        }
        isCut = next != nil
    }
}
