/// The people who were there: of whom a form asks, and of whom some may be silent.
public struct Room: Sendable, Equatable {
    /// How the number of people is known.
    public enum Base: String, Sendable, CaseIterable {
        /// The people who checked in, or whom a host marked as present.
        case attended
        /// The people on the meeting's list, of whom nobody has checked in.
        case list
        /// The number that a host entered.
        case headcount
    }

    public var people: Int
    public var base: Base
    /// The exact number of submissions, including withheld ones.
    public var submissions: Int

    /// Whether there are more submissions than people, so that the number of people is wrong and nothing can be said.
    public var isExceeded: Bool { submissions > people }

    /// Nil if no number of people is known, or if one person may answer more than once.
    ///
    /// - Parameter listed: The number of people on the meeting's list.
    public init?(attended: Int, listed: Int, headcount: Int?, submissions: Int, onceOnly: Bool) {
        guard onceOnly else { return nil }
        self.submissions = submissions
        if attended > 0 {
            (people, base) = (attended, .attended)
        } else if listed > 0 {
            (people, base) = (listed, .list)
        } else if let headcount, headcount > 0 {
            (people, base) = (headcount, .headcount)
        } else {
            return nil
        }
    }
}

/// What the answers to a question say of the people in the room.
public struct RoomResult: Sendable, Equatable {
    /// The statement to show first.
    public enum Statement: String, Sendable, CaseIterable {
        /// Everybody answered: the numbers are those of the room.
        case known
        /// The room, if those who were silent are like the others.
        case ifAlike
        /// The room, whatever those who were silent think.
        case certain
        /// People like those who answered, as in results without a room.
        case similarPeople

        /// The statement that is justified for all numbers of which these are shown first.
        static func weakest(of statements: [Statement]) -> Statement {
            allCases.last(where: statements.contains) ?? .similarPeople
        }
    }

    /// The people in the room, without those who abstained.
    public var people: Int
    public var answered: Int
    /// For a rating with answers or without.
    public var mean: RoomInterval?
    /// Nil unless NPS is the metric and there are answers.
    public var nps: RoomInterval?
    /// The shares of the buckets, in their order.
    public var points: [RoomInterval]

    /// The people whose opinion is unknown: they did not answer, or their answer is withheld.
    public var silent: Int { people - answered }

    /// Whether too few people answered for an interval of a mean or a score.
    public var hasTooFewAnswers: Bool { silent > 0 && answered < RoomInterval.minAnswers }

    public var first: Statement { Self.first(answered: answered, people: people) }

    /// Chooses the statement to show first by the share of the room that answered.
    ///
    /// From 80 % on, the silent are taken to be like the others: the rate below which the Office of Management and
    /// Budget, "Standards and Guidelines for Statistical Surveys" (2006), guideline 3.2.9, requires an analysis of
    /// whether they differ. Below that, the certain bounds come first. Their width is the share of the silent, in units
    /// of the scale; if that is more than half, they say little, and the numbers are about similar people only.
    public static func first(answered: Int, people: Int) -> Statement {
        if answered == people { return .known }
        if 5 * answered >= 4 * people { return .ifAlike }
        return 2 * answered >= people ? .certain : .similarPeople
    }
}

extension RoomResult {
    /// The interval that the first statement gives for a number. Nil if the number is known, or too few answered.
    ///
    /// - Parameter similar: The interval for similar people.
    public func firstInterval(_ bounds: RoomInterval?, similar: Interval?) -> Interval? {
        switch first {
        case .known: nil
        case .ifAlike: bounds?.ifAlike
        case .certain: bounds?.certain
        case .similarPeople: similar
        }
    }
}

extension QuestionResult {
    /// The interval of a rating's mean to show first: of the room if its number of people is known, as the statement
    /// says.
    public var firstMeanInterval: Interval? {
        guard let room else { return meanInterval }
        return room.firstInterval(room.mean, similar: meanInterval)
    }

    /// The interval of the net promoter score to show first.
    public var firstScoreInterval: Interval? {
        let similar = summary?.nps?.interval
        guard let room else { return similar }
        return room.firstInterval(room.nps, similar: similar)
    }

    /// This result with statements about the room. Unchanged if nothing can be said of it: for a text, for withheld
    /// numbers, for a question that is not asked of everybody, and if there are more submissions than people.
    public func placed(in room: Room?) -> QuestionResult {
        guard let room, !room.isExceeded, !isWithheld, !isConditional, kind != .text else { return self }
        // People who abstained have no rating, so the statements are about the others.
        let people = room.people - abstained
        guard people > 0, answered <= people else { return self }
        var result = self
        result.room = RoomResult(
            people: people, answered: answered, mean: nil, nps: nil,
            points: points.map { Proportion.inRoom(count: $0.count, of: answered, people: people) })
        if let summary, let low = points.first?.value, let high = points.last?.value {
            let distribution = Distribution(points.map { ($0.value ?? 0, $0.count) })
            result.room?.mean = distribution.meanInRoom(of: people, scale: low...high)
            result.room?.nps = summary.nps?.inRoom(of: people)
        }
        return result
    }
}
