import Foundation

/// Series or meetings, ordered by their shrunk means.
public struct Ranking: Sendable {
    public struct Group: Sendable {
        /// The id of the series or the meeting.
        public var id: UUID
        public var seriesID: UUID
        public var series: String
        /// Nil for a series.
        public var meeting: Meeting?
        public var title: String
        public var answers: RatingSums

        public init(
            id: UUID, seriesID: UUID, series: String, meeting: Meeting? = nil, title: String, answers: RatingSums
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

    /// A ranked group.
    public struct Entry: Sendable {
        /// Groups with equal shrunk means have the same rank, and the next rank is higher by their number (1, 2, 2, 4).
        public var rank: Int
        public var group: Group
        public var shrunkMean: Double

        public var mean: Double { group.answers.mean }

        public var position: Position {
            Position(
                shrunkMean: shrunkMean, count: group.answers.count, title: Position.beginning(of: group.title),
                id: group.id)
        }
    }

    /// A position in the order of the ranking: by shrunk mean, descending, then by number of answers, descending, then
    /// by title and id.
    public struct Position: Sendable, Equatable, Comparable {
        public var shrunkMean: Double
        public var count: Int
        public var title: String
        public var id: UUID

        public init(shrunkMean: Double, count: Int, title: String, id: UUID) {
            self.shrunkMean = shrunkMean
            self.count = count
            self.title = title
            self.id = id
        }

        /// The part of a title that the order compares. It is limited, so that a position is short.
        static func beginning(of title: String) -> String {
            String(String.UnicodeScalarView(title.unicodeScalars.prefix(40)))
        }

        public static func < (left: Position, right: Position) -> Bool {
            if left.shrunkMean != right.shrunkMean { return left.shrunkMean > right.shrunkMean }
            if left.count != right.count { return left.count > right.count }
            if left.title != right.title { return left.title < right.title }
            return left.id.uuidString < right.id.uuidString
        }
    }

    /// Nil if there are no answers.
    public var prior: Credibility?
    /// In the order of the ranking.
    public var entries: [Entry]

    /// The interval of an entry's shrunk mean. It takes longer to compute than the order.
    public func interval(of entry: Entry) -> Interval? { prior?.interval(entry.group.answers) }

    /// - Parameters:
    ///   - groups: Groups without an answer get no rank.
    ///   - prior: The prior of the first page, which the following pages use too.
    public init(_ groups: [Group], prior: Credibility? = nil) {
        let groups = groups.filter { $0.answers.count > 0 }
        self.prior = prior ?? Credibility(of: groups.map(\.answers))
        guard let prior = self.prior else {
            entries = []
            return
        }
        let ordered = groups.map { group in
            Entry(rank: 0, group: group, shrunkMean: prior.shrunkMean(of: group.answers))
        }.map { ($0.position, $0) }.sorted { $0.0 < $1.0 }
        var ranked: [Entry] = []
        ranked.reserveCapacity(ordered.count)
        for (index, (_, entry)) in ordered.enumerated() {
            var entry = entry
            entry.rank = ranked.last.map { $0.shrunkMean == entry.shrunkMean ? $0.rank : index + 1 } ?? 1
            ranked.append(entry)
        }
        entries = ranked
    }
}
