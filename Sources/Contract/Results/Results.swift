import Foundation

/// The results of a form at one revision.
public struct Results: Codable, Sendable, Equatable {
    /// Explains why the results show fewer submissions than there are.
    public struct Withheld: Codable, Sendable, Equatable {
        /// Always `minimum-group`.
        public var reason: String
        public var minimum: Int
        public var shown: Int

        public init(reason: String, minimum: Int, shown: Int) {
            self.reason = reason
            self.minimum = minimum
            self.shown = shown
        }
    }

    /// The people who were there.
    public struct Room: Codable, Sendable, Equatable {
        public var people: Int
        /// `attended`, `list` or `headcount`.
        public var base: String
        /// Whether there are more submissions than people. If so, the questions say nothing of the room.
        public var exceeded: Bool

        public init(people: Int, base: String, exceeded: Bool) {
            self.people = people
            self.base = base
            self.exceeded = exceeded
        }
    }

    public var meetingId: ResourceID
    public var formId: ResourceID
    public var version: Int
    public var revision: Int
    public var updatedAt: Date
    public var submissions: Int
    @ExplicitNull public var headcount: Int?
    public var attended: Int
    @ExplicitNull public var responseRate: Double?
    /// `headcount` or `attended`.
    @ExplicitNull public var responseBase: String?
    @ExplicitNull public var withheld: Withheld?
    public var questions: [QuestionResults]
    /// How the questions changed between the form versions that these results combine, oldest first.
    public var changes: [QuestionChange]
    /// Whether older changes were left out.
    public var changesCut: Bool
    /// Left out if the number of people is unknown, if one person may answer more than once, and for a filter.
    public var room: Room?

    public init(
        meetingId: ResourceID, formId: ResourceID, version: Int, revision: Int, updatedAt: Date, submissions: Int,
        headcount: Int?, attended: Int, responseRate: Double?, responseBase: String?, withheld: Withheld?,
        questions: [QuestionResults], changes: [QuestionChange] = [], changesCut: Bool = false,
        room: Room? = nil
    ) {
        self.meetingId = meetingId
        self.formId = formId
        self.version = version
        self.revision = revision
        self.updatedAt = updatedAt
        self.submissions = submissions
        self.headcount = headcount
        self.attended = attended
        self.responseRate = responseRate
        self.responseBase = responseBase
        self.withheld = withheld
        self.questions = questions
        self.changes = changes
        self.changesCut = changesCut
        self.room = room
    }
}
