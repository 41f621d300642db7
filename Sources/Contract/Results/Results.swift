#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A form's results at one revision.
public struct Results: Codable, Sendable, Equatable {
    /// Why less is shown than was submitted.
    public struct Withheld: Codable, Sendable, Equatable {
        /// `minimum-group`
        public var reason: String
        public var minimum: Int
        public var shown: Int

        public init(reason: String, minimum: Int, shown: Int) {
            self.reason = reason
            self.minimum = minimum
            self.shown = shown
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
    /// What the versions these results mix ask otherwise than the one before, oldest first.
    public var changes: [QuestionChange]
    /// There were older changes, of which nothing is told.
    public var changesCut: Bool

    public init(
        meetingId: ResourceID, formId: ResourceID, version: Int, revision: Int, updatedAt: Date, submissions: Int,
        headcount: Int?, attended: Int, responseRate: Double?, responseBase: String?, withheld: Withheld?,
        questions: [QuestionResults], changes: [QuestionChange] = [], changesCut: Bool = false
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
    }
}
