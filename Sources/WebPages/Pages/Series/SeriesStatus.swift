import Contract
import Foundation
import HTTPAPI

/// The latest and the next round of a series.
struct SeriesStatus {
    /// The largest number of rounds that are read for one series.
    private static let maxRounds = 200

    /// The newest round that has begun, has answers, or is undated with a published form. If there is none and no round
    /// is upcoming, the newest round.
    let latest: Meeting?
    /// The earliest round that has not begun yet.
    let upcoming: Meeting?

    /// - Parameter rounds: The rounds of the series, the newest first.
    init(_ rounds: [Meeting]) {
        let upcoming = rounds.filter { $0.state == "upcoming" }
            .min { ($0.startsAt ?? .distantFuture) < ($1.startsAt ?? .distantFuture) }
        let others = rounds.filter { $0.id != upcoming?.id }
        latest = others.first(where: Self.hasBegun) ?? (upcoming == nil ? rounds.first : nil)
        self.upcoming = upcoming
    }

    private static func hasBegun(_ round: Meeting) -> Bool {
        ["running", "ended"].contains(round.state) || round.submissions > 0
            || round.state == nil && round.form.state != "draft"
    }

    /// The status of each series. Further rounds are read only for series without a known round that has begun.
    ///
    /// - Parameter known: The newest rounds of each series, if they were read already.
    static func find(
        _ series: [HostReader.SeriesDetails], known: [ResourceID: [Meeting]] = [:], _ reader: HostReader
    ) async throws -> [ResourceID: SeriesStatus] {
        let incomplete = series.filter { details in
            let rounds = known[details.access.id] ?? []
            return rounds.count != details.series.rounds && !rounds.contains(where: hasBegun)
        }
        let rounds = known.merging(try await reader.rounds(ofEach: incomplete.map(\.access), limit: maxRounds)) { $1 }
        return Dictionary(uniqueKeysWithValues: series.map { ($0.access.id, SeriesStatus(rounds[$0.access.id] ?? [])) })
    }

    /// The next upcoming round of the series, other than the meeting of `details`.
    static func upcoming(after details: HostReader.MeetingDetails, _ reader: HostReader) async throws -> Meeting? {
        let rounds = try await reader.rounds(of: details.series, limit: maxRounds).rounds
        return SeriesStatus(rounds.filter { $0.id != details.meeting.id }).upcoming
    }
}

/// The latest round of a series, as shown in a list.
struct LatestRound: TemplateValues {
    var id: String
    var title: String
    var round: Int
    var when: String?
    var submissions: Int

    init(_ round: Meeting, _ zones: ZoneNames, _ page: PageRequest) {
        (id, title, self.round, submissions) = ("\(round.id)", round.title, round.round, round.submissions)
        when = round.startsAt.map { zones.dayText($0, in: round.timeZone, page.language) }
    }

    init(_ round: Series.Latest, _ zones: ZoneNames, _ page: PageRequest) {
        (id, title, self.round, submissions) = ("\(round.id)", round.title, round.round, round.submissions)
        when = round.startsAt.map { zones.dayText($0, in: round.timeZone, page.language) }
    }
}

/// A link to an upcoming round: `Round 2 · Sun 29 November`.
struct RoundLink: TemplateValues {
    var id: String
    /// The text of the link.
    var words: String

    init(_ round: Meeting, _ zones: ZoneNames?, _ page: PageRequest) {
        let day = round.startsAt.map { start in
            let zone = zones?.name(round.timeZone, at: start).map { " (\($0))" } ?? ""
            return LocalTime(round.timeZone).weekdayText(start, in: page.language, now: Date()) + zone
        }
        let number = page.texts("meeting.round", ["round": "\(round.round)"])
        id = "\(round.id)"
        words = [number, day].compactMap(\.self).joined(separator: " · ")
    }
}
