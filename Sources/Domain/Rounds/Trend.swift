import Foundation

/// The results of one question from round to round.
public struct Trend: Sendable {
    /// A published round, with its result for the question.
    public struct Round: Sendable {
        public var meetingID: UUID
        public var round: Int
        public var startsAt: Date?
        /// The day of the start in the meeting's time zone, such as `2026-11-05`.
        public var localDate: String?
        public var responseRate: Double?
        /// The people of the round. Nil if their number is unknown.
        public var room: Room?
        /// Nil if the round never had the question.
        public var tally: RoundTally?
        /// The question in each published version, in the order of the versions. Nil if a version does not contain it.
        /// A version in which the question did not change may be omitted.
        public var versions: [(version: Int, question: Question?)]

        public init(
            meetingID: UUID, round: Int, startsAt: Date?, localDate: String?, responseRate: Double?,
            room: Room? = nil, tally: RoundTally?, versions: [(version: Int, question: Question?)]
        ) {
            self.meetingID = meetingID
            self.round = round
            self.startsAt = startsAt
            self.localDate = localDate
            self.responseRate = responseRate
            self.room = room
            self.tally = tally
            self.versions = versions
        }
    }

    /// A number with its 95 % interval, and its difference from the number of the last earlier round that has one.
    public struct Point: Sendable, Equatable {
        public var value: Double
        public var interval: Interval?
        public var change: Difference?
        /// What the number says of the people in the round's room. Nil if their number is unknown.
        public var room: RoomInterval?
        /// The statement about the number to show first. Nil if nothing is said of the room.
        public var first: RoomResult.Statement?
        /// What the change says of the people in both rooms. Nil if it is unknown for one of them.
        public var roomChange: RoomInterval?
        /// The statement about the change to show first. Nil without a change.
        public var changeFirst: RoomResult.Statement?

        public init(value: Double, interval: Interval?, change: Difference?) {
            self.value = value
            self.interval = interval
            self.change = change
        }
    }

    /// One number from round to round, such as the mean or the share of an option.
    public struct Line: Sendable, Equatable {
        public var id: String
        public var label: String
        /// One point per round; nil if the round has no such number.
        public var points: [Point?]
    }

    /// The question in the wording of the newest round that contains it, with the options of all comparable rounds.
    public var question: Question
    public var rounds: [Round]
    /// The number of answers from which each round's numbers are computed. Nil if a round has no numbers.
    public var answers: [Int?]
    /// The number of submissions that were asked in each round, and of those without an answer among them. Nil if a round
    /// has no numbers.
    public var asked: [Int?]
    public var skipped: [Int?]
    public var lines: [Line]
    public var changes: [Change]
    /// Whether older changes were left out.
    public var isTruncated: Bool
    /// The rounds whose question with this key is not comparable (`Question.isComparable(with:)`).
    public var leftOut: [Int]

    /// Returns nil if no round contains the question and there is no fallback.
    ///
    /// - Parameters:
    ///   - rounds: The rounds in ascending order.
    ///   - fallback: The wording of the question if none of these rounds contains it.
    ///   - isTruncated: Whether older versions were left out.
    public init?(of rounds: [Round], fallback: Question? = nil, isTruncated: Bool = false) {
        guard var question = rounds.last(where: { $0.tally != nil })?.tally?.question ?? fallback else { return nil }
        let tallies = rounds.map { round in round.tally.flatMap { question.isComparable(with: $0.question) ? $0 : nil }
        }
        for tally in tallies.reversed() { if let tally { question = question.merged(with: tally.question) } }
        leftOut = zip(rounds, tallies).compactMap { $0.tally != nil && $1 == nil ? $0.round : nil }
        self.question = question
        self.rounds = rounds
        let counted = tallies.map { $0.flatMap { $0.isShown && $0.base > 0 ? $0 : nil } }
        answers = counted.map { $0?.base }
        (asked, skipped) = (counted.map { $0?.asked }, counted.map { $0?.skipped })
        lines = Self.lines(
            of: question,
            zip(rounds, counted).map { round, tally in tally.map { Counted(tally: $0, room: round.room) } })
        let allChanges = Self.changes(in: rounds.flatMap { round in round.versions.map { (round.round, $0, $1) } })
        changes = allChanges.suffix(Change.maximumCount)
        self.isTruncated = isTruncated || changes.count < allChanges.count
    }

    /// Whether each number of the last round can be compared with one of an earlier round.
    public var isLastRoundCompared: Bool {
        lines.allSatisfy { line in
            line.points.last.flatMap(\.self) == nil || line.points.dropLast().contains { $0 != nil }
        }
    }

    /// Labels such as `#1 5 Nov`. They contain the year unless all rounds are in the same year. The label of an undated
    /// round is `#1`.
    public var labels: [String] {
        let days = rounds.map { $0.localDate.flatMap(LocalDay.init) }
        let hasYear = LocalDay.spanSeveralYears(days.compactMap { $0 })
        return zip(rounds, days).map { round, day in
            "#\(round.round)" + (day.map { " " + $0.label(withYear: hasYear) } ?? "")
        }
    }

    /// A round's released counts, with the people of whom it asks.
    private struct Counted {
        var tally: RoundTally
        /// Nil if nothing can be said of them.
        var people: Int?

        init(tally: RoundTally, room: Room?) {
            self.tally = tally
            let isSaid = tally.question.showIf == nil
            people = room.flatMap { room in
                let people = room.people - tally.abstained
                return isSaid && !room.isExceeded && people > 0 && tally.answered <= people ? people : nil
            }
        }
    }

    /// A round's number in the form from which changes are computed.
    private struct Number<Basis> {
        var basis: Basis
        var room: RoomEstimate?
        /// The statement about the round's room to show first.
        var first: RoomResult.Statement?

        init(_ basis: Basis, of counted: Counted, _ room: (Int) -> RoomEstimate?) {
            self.basis = basis
            guard let people = counted.people else { return }
            self.room = room(people)
            first = RoomResult.first(answered: counted.tally.answered, people: people)
        }
    }

    private static func lines(of question: Question, _ rounds: [Counted?]) -> [Line] {
        switch question.kind {
        case .text:
            return [
                shares(
                    "answered", "Answered",
                    rounds.map { counted in
                        guard let counted else { return nil }
                        // Who wrote something is not an opinion of those who were silent.
                        return Proportion(count: counted.tally.answered, of: counted.tally.base)
                            .map { Number($0, of: counted) { _ in nil } }
                    })
            ]
        case .choice:
            return question.buckets.map { bucket in
                shares(
                    bucket.id, bucket.label,
                    rounds.map { counted in
                        // An option that a round did not offer has no count, rather than 0.
                        guard let counted, counted.tally.question.buckets.contains(where: { $0.id == bucket.id }) else {
                            return nil
                        }
                        let (count, answered) = (counted.tally.counts[bucket.id] ?? 0, counted.tally.answered)
                        return Proportion(count: count, of: answered).map { share in
                            Number(share, of: counted) { people in
                                RoomEstimate(
                                    value: share.value,
                                    interval: Proportion.inRoom(count: count, of: answered, people: people))
                            }
                        }
                    })
            }
        case .rating(let rating):
            let means = line(
                "mean", "Mean", rounds.map { $0.map { mean($0, on: rating.min...rating.max) } }
            ) { distribution, earlier in
                distribution.mean.map {
                    Point(
                        value: $0, interval: distribution.confidence95,
                        change: earlier.flatMap { Difference.ofMeans(distribution, less: $0) })
                }
            }
            guard rating.metric == .nps else { return [means] }
            let scores = line("nps", "Net promoter score", rounds.map { $0.flatMap(score) }) { score, earlier in
                Point(
                    value: score.score, interval: score.interval,
                    change: earlier.map { Difference.ofScores(score, less: $0) })
            }
            return [means, scores]
        }
    }

    private static func mean(_ counted: Counted, on scale: ClosedRange<Int>) -> Number<Distribution> {
        let distribution = counted.tally.distribution
        return Number(distribution, of: counted) { people in
            distribution.mean.map {
                RoomEstimate(value: $0, interval: distribution.meanInRoom(of: people, scale: scale))
            }
        }
    }

    private static func score(_ counted: Counted) -> Number<NetPromoterScore>? {
        NetPromoterScore(counted.tally.distribution).map { score in
            Number(score, of: counted) { RoomEstimate(value: score.score, interval: score.inRoom(of: $0)) }
        }
    }

    private static func shares(_ id: String, _ label: String, _ shares: [Number<Proportion>?]) -> Line {
        line(id, label, shares) { share, earlier in
            Point(
                value: share.value, interval: Interval(low: share.low, high: share.high),
                change: earlier.map { Difference.ofShares(share, less: $0) })
        }
    }

    /// - Parameter point: Returns the point for a round's number and the last earlier number.
    private static func line<Basis>(
        _ id: String, _ label: String, _ numbers: [Number<Basis>?], _ point: (Basis, Basis?) -> Point?
    ) -> Line {
        var last: Number<Basis>?
        let points = numbers.map { number -> Point? in
            guard let number, var point = point(number.basis, last?.basis) else { return nil }
            point.room = number.room?.interval
            point.first = number.room.flatMap { _ in number.first }
            if let last {
                point.roomChange = number.room.flatMap { new in last.room.map { new.change(from: $0) } }
                let firsts = [number.first, last.first]
                point.changeFirst =
                    point.roomChange == nil
                    ? .similarPeople : RoomResult.Statement.weakest(of: firsts.compactMap(\.self))
            }
            last = number
            return point
        }
        return Line(id: id, label: label, points: points)
    }
}

extension RoundTally {
    /// The number of submissions to which a trend's values are relative: those that answer a choice or rating, or all
    /// that were asked a text question.
    fileprivate var base: Int { question.kind.name == .text ? asked : answered }
}

extension Trend {
    /// A change of the question, with the round and the form version that introduced it.
    public struct Change: Sendable, Equatable {
        public enum Kind: Sendable, Equatable {
            /// A change that can also occur within a form.
            case edited(QuestionChange.Kind)
            /// A change that can occur only from one round to another: of the question's kind, or of a rating's scale.
            case kind, scale

            public var name: String {
                switch self {
                case .edited(let kind): kind.rawValue
                case .kind: "kind"
                case .scale: "scale"
                }
            }
        }

        /// The maximum number of changes. If there are more, the oldest are left out.
        public static let maximumCount = 1_000

        public var round: Int
        public var version: Int
        public var kind: Kind
        /// The id of the option that changed.
        public var option: String?
        public var from: String?
        public var to: String?
    }

    /// Returns the changes between consecutive published versions, within a round and from one round to the next,
    /// oldest first.
    static func changes(in versions: [(round: Int, version: Int, question: Question?)]) -> [Change] {
        var changes: [Change] = []
        var last: Question?
        var isAsked = false
        /// The ids of the options that the question once had, but does not have in the last version.
        var retiredOptions: Set<String> = []
        for (round, version, question) in versions {
            func record(_ kind: Change.Kind, _ from: String?, _ to: String?, option: String? = nil) {
                changes.append(
                    Change(round: round, version: version, kind: kind, option: option, from: from, to: to))
            }
            if let question, let last {
                if !isAsked { record(.edited(.restored), nil, question.title) }
                if question.kind.name != last.kind.name {
                    record(.kind, last.kind.name.rawValue, question.kind.name.rawValue)
                }
                if let (old, new) = Self.scales(last, question), old != new { record(.scale, old, new) }
                for difference in question.differences(from: last, retired: retiredOptions) {
                    record(.edited(difference.kind), difference.from, difference.to, option: difference.option)
                }
                retiredOptions = retiredOptions.union(last.optionIDs).subtracting(question.optionIDs)
            } else if isAsked, question == nil {
                record(.edited(.retired), last?.title, nil)
            }
            isAsked = question != nil
            last = question ?? last
        }
        return changes
    }

    private static func scales(_ old: Question, _ new: Question) -> (String, String)? {
        guard case .rating(let before) = old.kind, case .rating(let after) = new.kind else { return nil }
        return ("\(before.min)–\(before.max)", "\(after.min)–\(after.max)")
    }
}

extension Question {
    fileprivate var optionIDs: Set<String> {
        guard case .choice(let choice) = kind else { return [] }
        return Set(choice.buckets.map(\.id))
    }
}
