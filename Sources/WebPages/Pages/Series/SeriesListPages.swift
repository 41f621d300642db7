import Contract
import HTTPAPI

/// The list of a host's series, or of those in the trash.
struct SeriesListPages: Sendable {
    var routes: [PageRoute] { [PageRoute("/series", get: show)] }

    private func show(_ page: PageRequest) async throws -> PageResponse {
        let session = try HostSession(page)
        let isTrash = page.query["state"] == "trash"
        let reader = try await session.reader()
        let list = try await reader.series(
            inTrash: isTrash, containing: page.query["q"].flatMap(\.nonEmpty),
            order: isTrash ? .created : .current, after: page.query["cursor"].flatMap(\.nonEmpty))
        let zones = ZoneNames(
            reader.timeZone, among: list.series.compactMap(\.series.latest?.timeZone))
        let planned = list.series.filter { !isTrash && $0.series.latest?.state == "upcoming" }
        let statuses = try await SeriesStatus.find(planned, reader)
        return page.page(
            SeriesListPage(
                title: page.texts(isTrash ? "series.trash" : "series.title"), isTrash: isTrash,
                search: page.query["q"] ?? "",
                isFirst: !isTrash && page.query["q"] == nil && page.query["cursor"] == nil,
                series: list.series.map { line($0.series, statuses[$0.access.id], zones, page) },
                next: list.next.map {
                    page.path + page.query.queryString(keeping: ["q", "state"], adding: ["cursor": $0])
                }))
    }

    /// One series of the list. Without a status, the newest round is the latest.
    private func line(
        _ series: Series, _ status: SeriesStatus?, _ zones: ZoneNames, _ page: PageRequest
    ) -> SeriesListPage.Line {
        .init(
            id: "\(series.id)", title: series.title, role: series.roleText(page),
            rounds: page.texts("series.rounds", ["count": "\(series.rounds)"]), members: series.membersText(page.texts),
            latest: status.map { $0.latest.map { LatestRound($0, zones, page) } }
                ?? series.latest.map { LatestRound($0, zones, page) },
            planned: status?.upcoming.map { RoundLink($0, zones, page) }, canEdit: series.role != "viewer",
            until: series.purgesAt.map { page.time($0) })
    }
}

struct SeriesListPage: PageModel {
    struct Line: TemplateValues {
        var id: String
        var title: String
        var role: String
        var rounds: String
        var members: String
        var latest: LatestRound?
        var planned: RoundLink?
        var canEdit: Bool
        /// When a series in the trash is deleted permanently.
        var until: String?
    }

    static let template = "series-list"
    var title: String
    var isTrash: Bool
    /// The text that the titles are searched for.
    var search: String
    /// Whether this is the first page of the list without a search.
    var isFirst: Bool
    var series: [Line]
    /// The address of the next page. Nil on the last page.
    var next: String?
}

extension Series {
    /// The reader's role. Admins have an owner's rights in every series. For another host's series, the text says that
    /// the reader is an admin.
    func roleText(_ page: PageRequest) -> String {
        let belongsToOther = page.bar.map { $0.accountID != owner.id } ?? false
        return page.texts(role == "owner" && belongsToOther ? "series.as-admin" : "series.role-\(role)")
    }

    func membersText(_ texts: PageTexts) -> String { texts("series.members", ["count": "\(members)"]) }
}
