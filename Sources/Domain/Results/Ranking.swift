import Foundation

/// Series or meetings in the order of their shrunk means.
public struct Ranking: Sendable {
    public struct Group: Sendable {
        /// The id of the series or the meeting.
        public var id: UUID
        public var seriesID: UUID
        public var series: String
        /// Nil for a series.
        public var meeting: Meeting?
        public var title: String
        public var answers: Moments

        public init(
            id: UUID, seriesID: UUID, series: String, meeting: Meeting? = nil, title: String, answers: Moments
        ) {
            self.id = id
            self.seriesID = seriesID
            self.series = series
            self.meeting = meeting
            self.title = title
            self.answers = answers
        }
    }

    public struct Meeting: Sendable {
        public var round: Int
        public var startsAt: Date?

        public init(round: Int, startsAt: Date?) {
            self.round = round
            self.startsAt = startsAt
        }
    }

    public struct Place: Sendable {
        /// Equal shrunk means share a rank, and as many following ranks are skipped.
        public var rank: Int
        public var group: Group
        public var shrunk: Double
        public var interval: Interval?

        public var mean: Double { group.answers.mean }

        public var position: Position {
            Position(
                shrunk: shrunk, count: group.answers.count, title: Position.beginning(of: group.title), id: group.id)
        }
    }

    /// A position in the order: the highest shrunk mean first, then the most answers, then by title and id.
    public struct Position: Sendable, Equatable, Comparable {
        public var shrunk: Double
        public var count: Int
        public var title: String
        public var id: UUID

        public init(shrunk: Double, count: Int, title: String, id: UUID) {
            self.shrunk = shrunk
            self.count = count
            self.title = title
            self.id = id
        }

        /// The part of a title that the order compares, so that a position is short.
        static func beginning(of title: String) -> String {
            String(String.UnicodeScalarView(title.unicodeScalars.prefix(40)))
        }

        public static func < (left: Position, right: Position) -> Bool {
            if left.shrunk != right.shrunk { return left.shrunk > right.shrunk }
            if left.count != right.count { return left.count > right.count }
            if left.title != right.title { return left.title < right.title }
            return left.id.uuidString < right.id.uuidString
        }
    }

    /// Nil if there are no answers.
    public var prior: Credibility?
    public var places: [Place]

    /// - Parameters:
    ///   - groups: Those without an answer get no rank.
    ///   - prior: The prior of the page before, which the following pages continue to use.
    public init(_ groups: [Group], prior: Credibility? = nil) {
        let groups = groups.filter { $0.answers.count > 0 }
        self.prior = prior ?? Credibility(of: groups.map(\.answers))
        guard let prior = self.prior else {
            places = []
            return
        }
        let ordered = groups.map { group in
            Place(rank: 0, group: group, shrunk: prior.shrunk(group.answers), interval: prior.interval(group.answers))
        }.map { ($0.position, $0) }.sorted { $0.0 < $1.0 }
        var ranked: [Place] = []
        ranked.reserveCapacity(ordered.count)
        for (index, (_, place)) in ordered.enumerated() {
            var place = place
            place.rank = ranked.last.map { $0.shrunk == place.shrunk ? $0.rank : index + 1 } ?? 1
            ranked.append(place)
        }
        places = ranked
    }
}
