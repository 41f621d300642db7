import Contract
import Foundation
import HTTPAPI

/// The latest and the next round of a series.
struct SeriesStatus {
    private static let most = 200

    /// The newest that has begun or has answers; without any, the newest undated one.
    let latest: Meeting?
    /// The next that has not begun.
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

    /// Reads further rounds only of series of which no known round has begun.
    ///
    /// - Parameter known: The newest rounds of each series, if they are known.
    static func find(
        _ series: [HostReader.SeriesDetails], known: [ResourceID: [Meeting]] = [:], _ reader: HostReader
    ) async throws -> [ResourceID: SeriesStatus] {
        let unknown = series.filter { details in
            let rounds = known[details.access.id] ?? []
            return rounds.count != details.series.rounds && !rounds.contains(where: hasBegun)
        }
        let all = known.merging(try await reader.rounds(ofEach: unknown.map(\.access), limit: most)) { $1 }
        return Dictionary(uniqueKeysWithValues: series.map { ($0.access.id, SeriesStatus(all[$0.access.id] ?? [])) })
    }

    /// The next round of the series besides this one.
    static func coming(after details: HostReader.MeetingDetails, _ reader: HostReader) async throws -> Meeting? {
        let rounds = try await reader.rounds(of: details.series, limit: most).rounds
        return SeriesStatus(rounds.filter { $0.id != details.meeting.id }).coming
    }
}

/// The newest round of a series in a list.
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

/// A link to a coming round: `Round 2 · Sun 29 November`.
struct RoundLink: TemplateValues {
    var id: String
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
