import Contract
import Foundation

/// One series as home shows it: what of it takes answers, and when its next round would be.
struct SeriesCard {
    private let series: Series
    private let next: NextRound
    /// Rounds that have begun and take answers.
    let open: [Meeting]
    private let standing: SeriesStanding

    static func find(_ found: [Series], _ visit: HostSession) async throws -> [SeriesCard] {
        var all: [SeriesCard] = []
        for series in found {
            let rounds: MeetingList = try await visit.get("/v1/series/\(series.id)/meetings?limit=\(NextRound.rounds)")
            all.append(
                SeriesCard(
                    series: series, next: try await NextRound(after: rounds.items, now: Date()).free(for: visit),
                    open: rounds.items.filter { $0.form.state == "open" && $0.state != "upcoming" },
                    standing: try await SeriesStanding.find(series, known: rounds.items, visit)))
        }
        return all
    }

    func values(_ zones: ZoneNames, _ page: PageRequest) -> [String: Any] {
        var values = SeriesPages.summary(series, standing, zones, page)
        values["start"] = next.start
        values["end"] = next.end
        values["day"] = next.startsAt.map { next.place.weekdayText($0, in: page.language, now: Date()) }
        return values
    }
}
