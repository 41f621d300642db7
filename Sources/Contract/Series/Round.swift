#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How a meeting comes again.
public struct Repetition: Codable, Sendable, Equatable {
    /// A period of whole days, weeks, months or years: `P1D`, `P2W`, `P1M`, `P1Y`. Local time is kept.
    public var every: String
    /// The first one counted.
    public var count: Int

    public init(every: String, count: Int) {
        self.every = every
        self.count = count
    }
}

/// The next round of a series; what is nil comes from the round before, except for its times.
public struct RoundRequest: Codable, Sendable, Equatable {
    public var title: String?
    public var startsAt: Date?
    public var endsAt: Date?
    public var timeZone: String?
    public var place: Edit<String>
    public var headcount: Edit<Int>
    public var lateAfterMinutes: Int?
    public var allowOverlap: Bool?
    /// False for a round without the image of the round before.
    public var image: Bool?
    public var questions: [QuestionBody]?
    public var `repeat`: Repetition?

    public init(
        title: String? = nil, startsAt: Date? = nil, endsAt: Date? = nil, timeZone: String? = nil,
        place: Edit<String> = .unchanged, headcount: Edit<Int> = .unchanged, lateAfterMinutes: Int? = nil,
        allowOverlap: Bool? = nil, image: Bool? = nil, questions: [QuestionBody]? = nil, repeat: Repetition? = nil
    ) {
        self.title = title
        self.startsAt = startsAt
        self.endsAt = endsAt
        self.timeZone = timeZone
        self.place = place
        self.headcount = headcount
        self.lateAfterMinutes = lateAfterMinutes
        self.allowOverlap = allowOverlap
        self.image = image
        self.questions = questions
        self.repeat = `repeat`
    }
}
