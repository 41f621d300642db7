import Contract
import Foundation
import HTTPAPI

/// One series as home shows it: its rounds that accept answers, and when its next round would be.
struct SeriesCard {
    private let series: Series
    private let next: NextRound
    /// Rounds that have begun and accept answers.
    let open: [Meeting]
    private let standing: SeriesStanding

    static func find(_ found: [HostReader.SeriesDetails], _ reader: HostReader) async throws -> [SeriesCard] {
        let rounds = try await reader.rounds(ofEach: found.map(\.access), limit: NextRound.rounds)
        let now = Date()
        let next = try await NextRound.free(
            found.map { NextRound(after: rounds[$0.access.id] ?? [], now: now) }, for: reader)
        let standings = try await SeriesStanding.find(found, known: rounds, reader)
        return zip(found, next).map { details, next in
            let series = details.series
            let newest = rounds[series.id] ?? []
            return SeriesCard(
                series: series, next: next,
                open: newest.filter { $0.form.state == "open" && $0.state != "upcoming" },
                standing: standings[series.id] ?? SeriesStanding(newest))
        }
    }

    func values(_ zones: ZoneNames, _ page: PageRequest) -> [String: Any] {
        var values = SeriesPages.summary(series, standing, zones, page)
        values["start"] = next.start
        values["end"] = next.end
        values["day"] = next.startsAt.map { next.place.weekdayText($0, in: page.language, now: Date()) }
        return values
    }
}
