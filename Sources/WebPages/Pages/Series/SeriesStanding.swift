import Contract
import Foundation
import HTTPAPI

/// Where a series stands: the round that was last, and the one that comes.
struct SeriesStanding {
    private static let most = 200

    /// The newest that has begun or has answers; of a series without any, one that has no date.
    let latest: Meeting?
    /// The nearest that is yet to begin.
    let coming: Meeting?

    /// - Parameter rounds: the newest first.
    init(_ rounds: [Meeting]) {
        let coming = rounds.filter { $0.state == "upcoming" }
            .min { ($0.startsAt ?? .distantFuture) < ($1.startsAt ?? .distantFuture) }
        let others = rounds.filter { $0.id != coming?.id }
        latest = others.first(where: Self.hasBegun) ?? (coming == nil ? rounds.first : nil)
        self.coming = coming
    }

    private static func hasBegun(_ round: Meeting) -> Bool {
        ["running", "ended"].contains(round.state) || round.submissions > 0
            || round.state == nil && round.form.state != "draft"
    }

    /// Reads further rounds only of series whose known rounds are all still to come.
    ///
    /// - Parameter known: The newest rounds of each series, if they are known.
    static func find(
        _ series: [HostReader.SeriesDetails], known: [ResourceID: [Meeting]] = [:], _ reader: HostReader
    ) async throws -> [ResourceID: SeriesStanding] {
        let unknown = series.filter { details in
            let rounds = known[details.access.id] ?? []
            return rounds.count != details.series.rounds && !rounds.contains(where: hasBegun)
        }
        let all = known.merging(try await reader.rounds(ofEach: unknown.map(\.access), limit: most)) { $1 }
        return Dictionary(uniqueKeysWithValues: series.map { ($0.access.id, SeriesStanding(all[$0.access.id] ?? [])) })
    }

    /// Among the rounds besides this one.
    static func coming(after details: HostReader.MeetingDetails, _ reader: HostReader) async throws -> Meeting? {
        let rounds = try await reader.rounds(of: details.series, limit: most).rounds
        return SeriesStanding(rounds.filter { $0.id != details.meeting.id }).coming
    }

    func values(_ zones: ZoneNames, _ page: PageRequest) -> [String: Any] {
        var values: [String: Any] = [:]
        if let latest {
            var round: [String: Any] = [
                "id": "\(latest.id)", "title": latest.title, "round": latest.round, "submissions": latest.submissions,
            ]
            round["when"] = latest.startsAt.map { zones.dayText($0, in: latest.timeZone, page.language) }
            values["latest"] = round
        }
        values["planned"] = coming.map { Self.link($0, zones, page) }
        return values
    }

    /// `Round 2 · Sun 29 November`
    static func link(_ round: Meeting, _ zones: ZoneNames?, _ page: PageRequest) -> [String: Any] {
        let day = round.startsAt.map { start in
            let zone = zones?.name(round.timeZone, at: start).map { " (\($0))" } ?? ""
            return LocalTime(round.timeZone).weekdayText(start, in: page.language, now: Date()) + zone
        }
        let number = page.texts("meeting.round", ["round": "\(round.round)"])
        return [
            "id": "\(round.id)", "title": round.title,
            "words": [number, day].compactMap(\.self).joined(separator: " · "),
        ]
    }
}
