import Foundation

/// A request for a meeting. It creates a series with this meeting as the first round.
public struct MeetingRequest: Codable, Sendable, Equatable {
    public var title: String
    public var startsAt: Date?
    public var endsAt: Date?
    public var timeZone: String
    public var place: String?
    public var headcount: Int?
    public var lateAfterMinutes: Int?
    public var allowOverlap: Bool?
    public var questions: [QuestionBody]?
    public var `repeat`: Repetition?

    public init(
        title: String, startsAt: Date? = nil, endsAt: Date? = nil, timeZone: String = "UTC", place: String? = nil,
        headcount: Int? = nil, lateAfterMinutes: Int? = nil, allowOverlap: Bool? = nil,
        questions: [QuestionBody]? = nil, repeat: Repetition? = nil
    ) {
        self.title = title
        self.startsAt = startsAt
        self.endsAt = endsAt
        self.timeZone = timeZone
        self.place = place
        self.headcount = headcount
        self.lateAfterMinutes = lateAfterMinutes
        self.allowOverlap = allowOverlap
        self.questions = questions
        self.repeat = `repeat`
    }
}

/// One round of a series.
public struct Meeting: Codable, Sendable, Equatable, Identifiable {
    /// A summary of the meeting's form.
    public struct FormSummary: Codable, Sendable, Equatable {
        public var id: ResourceID
        public var code: String
        public var state: String
        /// 0 before the first publication.
        public var version: Int

        public init(id: ResourceID, code: String, state: String, version: Int) {
            self.id = id
            self.code = code
            self.state = state
            self.version = version
        }
    }

    public var id: ResourceID
    public var seriesId: ResourceID
    /// The title of the series.
    public var series: String
    public var round: Int
    public var title: String
    @ExplicitNull public var startsAt: Date?
    @ExplicitNull public var endsAt: Date?
    public var timeZone: String
    @ExplicitNull public var place: String?
    @ExplicitNull public var headcount: Int?
    public var lateAfterMinutes: Int
    public var allowOverlap: Bool
    /// `upcoming`, `running` or `ended`. Nil if the round has no date.
    @ExplicitNull public var state: String?
    /// The check-in code, for `/c/{code}`.
    public var checkInCode: String
    /// The path of the image, if any.
    @ExplicitNull public var image: String?
    @ExplicitNull public var deletedAt: Date?
    /// When the meeting is deleted permanently. Nil unless it is in the trash.
    @ExplicitNull public var purgesAt: Date?
    public var attended: Int
    public var submissions: Int
    public var form: FormSummary

    public init(
        id: ResourceID, seriesId: ResourceID, series: String, round: Int, title: String, startsAt: Date?,
        endsAt: Date?, timeZone: String, place: String?, headcount: Int?, lateAfterMinutes: Int, allowOverlap: Bool,
        state: String?,
        checkInCode: String, image: String? = nil, deletedAt: Date? = nil, purgesAt: Date? = nil, attended: Int,
        submissions: Int, form: FormSummary
    ) {
        self.id = id
        self.seriesId = seriesId
        self.series = series
        self.round = round
        self.title = title
        self.startsAt = startsAt
        self.endsAt = endsAt
        self.timeZone = timeZone
        self.place = place
        self.headcount = headcount
        self.lateAfterMinutes = lateAfterMinutes
        self.allowOverlap = allowOverlap
        self.state = state
        self.checkInCode = checkInCode
        self.image = image
        self.deletedAt = deletedAt
        self.purgesAt = purgesAt
        self.attended = attended
        self.submissions = submissions
        self.form = form
    }
}

public typealias MeetingList = Page<Meeting>

/// Changes to a meeting. A field that is nil or `.unchanged` keeps its value.
public struct MeetingEdit: Codable, Sendable, Equatable {
    public var title: String?
    public var startsAt: Edit<Date>
    public var endsAt: Edit<Date>
    public var timeZone: String?
    public var place: Edit<String>
    public var headcount: Edit<Int>
    public var lateAfterMinutes: Int?
    public var allowOverlap: Bool?

    public init(
        title: String? = nil, startsAt: Edit<Date> = .unchanged, endsAt: Edit<Date> = .unchanged,
        timeZone: String? = nil, place: Edit<String> = .unchanged, headcount: Edit<Int> = .unchanged,
        lateAfterMinutes: Int? = nil, allowOverlap: Bool? = nil
    ) {
        self.title = title
        self.startsAt = startsAt
        self.endsAt = endsAt
        self.timeZone = timeZone
        self.place = place
        self.headcount = headcount
        self.lateAfterMinutes = lateAfterMinutes
        self.allowOverlap = allowOverlap
    }
}

/// The description of a meeting's image, for people who do not see it above the form.
public struct ImageDescription: Codable, Sendable, Equatable {
    /// At most 300 characters. Empty if the image says nothing that matters.
    public var alt: String

    public init(alt: String) { self.alt = alt }
}
