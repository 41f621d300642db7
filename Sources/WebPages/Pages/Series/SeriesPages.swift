import Contract
import HTTPAPI

/// The first tab of a series, for its hosts: the trends. The other tabs are rounds, people and settings.
struct SeriesPages: Sendable {
    /// The number of rounds that are read initially, newest first.
    static let initialRoundCount = 100

    var routes: [PageRoute] {
        let series = "/series/{id}"
        let settings = SeriesSettingsPages()
        return SeriesListPages().routes + [
            // The forms of the settings can be sent to this address too.
            PageRoute(series, get: show, post: settings.apply),
            PageRoute(series + "/poster.svg", get: { try await poster($0, "svg") }),
            PageRoute(series + "/poster.png", get: { try await poster($0, "png") }),
        ] + SeriesRoundsPages().routes + settings.routes
    }

    /// The path of the series in the API.
    static func source(_ page: PageRequest) -> String { "/v1/series/\(page.safeParameter("id"))" }

    private func poster(_ page: PageRequest, _ format: String) async throws -> PageResponse {
        try await page.relay("\(Self.source(page))/qr.\(format)", as: HostSession(page).authorization)
    }

    private func show(_ page: PageRequest) async throws -> PageResponse {
        let reader = try await HostSession(page).reader()
        // All rounds were listed at this address before they had a tab.
        guard page.query["rounds"] == nil else {
            return .redirect(to: "/series/\(page.safeParameter("id"))/rounds?rounds=all")
        }
        let details = try await reader.series(page.id())
        let series = details.series
        let (rounds, _) = try await reader.rounds(of: details.access, limit: Self.initialRoundCount)
        let trends = try await SeriesTrends(of: details.access, rounds, reader, page)
        let status = try await SeriesStatus.find([details], known: [series.id: rounds], reader)[series.id]
        let zones = ZoneNames(reader.timeZone, among: rounds.filter { $0.startsAt != nil }.map(\.timeZone))
        return page.page(
            SeriesPage(
                title: series.title, head: SeriesHead(series, tab: .trends, page), isTrashed: series.deletedAt != nil,
                canEdit: series.role != "viewer", path: "/series/\(series.id)",
                latest: status?.latest.map { LatestRound($0, zones, page) },
                planned: status?.upcoming.map { RoundLink($0, zones, page) },
                decided: DecisionList.last(try await reader.latestDecisions(of: details.access), page.texts),
                lacksTrends: !trends.hasComparableRounds, trends: trends.values, hasMoreTrends: trends.isTruncated,
                exports: SeriesFiles.exports(page, canEdit: series.role != "viewer")))
    }
}
