import Contract
import Foundation
import HTTPAPI

/// One series on a host's start page, with its open rounds and the proposed times of the next round.
struct SeriesCard {
    private let series: Series
    private let next: NextRound
    /// Rounds that accept answers, whatever their date.
    let open: [Meeting]
    private let status: SeriesStatus

    /// Reads the rounds of several series together.
    static func find(_ seriesDetails: [HostReader.SeriesDetails], _ reader: HostReader) async throws -> [SeriesCard] {
        let rounds = try await reader.rounds(ofEach: seriesDetails.map(\.access), limit: NextRound.rounds)
        let now = Date()
        let next = try await NextRound.movingToFreeHours(
            seriesDetails.map { NextRound(after: rounds[$0.access.id] ?? [], now: now) }, for: reader)
        let statuses = try await SeriesStatus.find(seriesDetails, known: rounds, reader)
        return zip(seriesDetails, next).map { details, next in
            let series = details.series
            let newest = rounds[series.id] ?? []
            return SeriesCard(
                series: series, next: next,
                open: newest.filter { $0.form.state == "open" },
                status: statuses[series.id] ?? SeriesStatus(newest))
        }
    }

    func values(_ zones: ZoneNames, _ page: PageRequest) -> HomePage.Series {
        .init(
            id: "\(series.id)",
            path: (status.latest ?? status.upcoming).map { "/meetings/\($0.id)" } ?? "/series/\(series.id)",
            title: series.title, latest: status.latest.map { LatestRound($0, zones, page) },
            planned: status.upcoming.map { RoundLink($0, zones, page) }, canEdit: series.role != "viewer",
            start: next.start, end: next.end, allowsOverlap: next.allowsOverlap,
            day: next.startsAt.map { next.localTime.weekdayText($0, in: page.language, now: Date()) })
    }
}
