/// One person's attendance across all rounds of a series.
public struct Person: Codable, Sendable, Equatable {
    /// One round of the person's history.
    public struct Round: Codable, Sendable, Equatable {
        /// Only for callers who may see the series.
        public var meetingId: ResourceID?
        public var round: Int
        public var title: String
        /// The local day, such as `2026-11-21`. Nil if the round has no date.
        @ExplicitNull public var date: String?
        /// `present`, `late` or `absent`. In an undated round that the person did not check in to, `expected`. Nil if
        /// the person was not on the attendee list.
        @ExplicitNull public var status: String?
        /// Whether the person answered the form. Nil if unknown.
        @ExplicitNull public var answered: Bool?

        public init(
            meetingId: ResourceID? = nil, round: Int, title: String, date: String? = nil, status: String? = nil,
            answered: Bool? = nil
        ) {
            self.meetingId = meetingId
            self.round = round
            self.title = title
            self.date = date
            self.status = status
            self.answered = answered
        }
    }

    /// Only for callers who may see the series.
    public var email: String?
    /// The personal code, for `/v1/people/{code}`. Only for callers who may see the series.
    @WhereApplicable public var code: String?
    @ExplicitNull public var name: String?
    /// The title of the series.
    public var series: String
    public var rounds: Int
    public var present: Int
    public var late: Int
    public var absent: Int
    /// The sum of `present` and `late`.
    public var attended: Int
    public var answered: Int
    /// The days of the meetings that the person attended, in each meeting's own time zone, such as `2026-11-21`.
    public var daysAttended: [String]
    public var daysAnswered: [String]
    public var currentStreak: Int
    public var longestStreak: Int
    /// Newest first, at most 200.
    public var history: [Round]

    public init(
        email: String? = nil, code: String? = nil, name: String? = nil, series: String, rounds: Int, present: Int,
        late: Int, absent: Int, attended: Int, answered: Int, daysAttended: [String], daysAnswered: [String],
        currentStreak: Int, longestStreak: Int, history: [Round]
    ) {
        self.email = email
        self.code = code
        self.name = name
        self.series = series
        self.rounds = rounds
        self.present = present
        self.late = late
        self.absent = absent
        self.attended = attended
        self.answered = answered
        self.daysAttended = daysAttended
        self.daysAnswered = daysAnswered
        self.currentStreak = currentStreak
        self.longestStreak = longestStreak
        self.history = history
    }
}
