import Contract
import Foundation

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

    /// Looks further back only where all the rounds that are known are still to come.
    /// - Parameter known: the newest of them, if they are known.
    static func find(_ series: Series, known: [Meeting] = [], _ visit: HostSession) async throws -> SeriesStanding {
        if known.count == series.rounds || known.contains(where: hasBegun) { return SeriesStanding(known) }
        let rounds: MeetingList = try await visit.get("/v1/series/\(series.id)/meetings?limit=\(most)")
        return SeriesStanding(rounds.items)
    }

    /// Among the rounds besides this one.
    static func coming(after meeting: Meeting, _ visit: HostSession) async throws -> Meeting? {
        let rounds: MeetingList = try await visit.get("/v1/series/\(meeting.seriesId)/meetings?limit=\(most)")
        return SeriesStanding(rounds.items.filter { $0.id != meeting.id }).coming
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
