import Foundation

/// The recurrence of a meeting.
public struct Repetition: Codable, Sendable, Equatable {
    /// A period of whole days, weeks, months or years, such as `P1D`, `P2W`, `P1M` or `P1Y`. The local time stays the
    /// same.
    public var every: String
    /// The number of meetings, the first included.
    public var count: Int
    /// For months and years, the day of the month: `date` if nil, `weekday` for the same weekday of the month as the
    /// first meeting (such as the second Tuesday), or `lastWeekday` (such as the last Friday).
    public var day: String?

    public init(every: String, count: Int, day: String? = nil) {
        self.every = every
        self.count = count
        self.day = day
    }
}

/// A request for the next round of a series. Nil fields are copied from the previous round, except for the times and
/// `allowOverlap`.
public struct RoundRequest: Codable, Sendable, Equatable {
    public var title: String?
    public var startsAt: Date?
    public var endsAt: Date?
    public var timeZone: String?
    public var place: Edit<String>
    public var headcount: Edit<Int>
    public var lateAfterMinutes: Int?
    public var allowOverlap: Bool?
    /// `false` leaves out the previous round's image.
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
