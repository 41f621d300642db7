import Foundation

/// The part of a form that a participant sees.
public struct PublicForm: Codable, Sendable, Equatable {
    /// The picture above the questions, a JPEG of at most 1200 pixels a side.
    public struct Picture: Codable, Sendable, Equatable {
        /// The path of the file. It contains a digest, so that the file at a path never changes.
        public var path: String
        public var width: Int
        public var height: Int
        /// Describes the picture. Empty if it says nothing that matters.
        public var alt: String

        public init(path: String, width: Int, height: Int, alt: String) {
            self.path = path
            self.width = width
            self.height = height
            self.alt = alt
        }
    }

    /// What hosts decided at an earlier round.
    public struct Decided: Codable, Sendable, Equatable {
        public var text: String
        public var done: Bool

        public init(text: String, done: Bool) {
            self.text = text
            self.done = done
        }
    }

    public var code: String
    public var title: String
    @ExplicitNull public var intro: String?
    public var identity: String
    public var anonymous: Bool
    /// The smallest number of submissions whose results are shown. Nil if the form is not anonymous.
    @ExplicitNull public var minimumGroup: Int?
    public var showResults: String
    /// Whether the form's page shows one question at a time.
    public var oneByOne: Bool
    public var state: String
    public var version: Int
    @ExplicitNull public var opensAt: Date?
    @ExplicitNull public var closesAt: Date?
    /// The number of days from the close until the answers are deleted. The counts stay. Nil if the answers are kept.
    @ExplicitNull public var retentionDays: Int?
    /// When the answers will be deleted. Nil if they are kept or already deleted, or if it is not known when the form
    /// closes.
    @ExplicitNull public var answersDeleteAt: Date?
    /// When the answers were deleted.
    @ExplicitNull public var answersDeletedAt: Date?
    @ExplicitNull public var picture: Picture?
    /// What was decided at the last round, as far as hosts show it to participants. Nil if there is nothing.
    public var decided: [Decided]?
    public var questions: [QuestionBody]

    public init(
        code: String, title: String, intro: String?, identity: String, anonymous: Bool,
        minimumGroup: Int? = nil, showResults: String, oneByOne: Bool = false, state: String, version: Int,
        opensAt: Date?, closesAt: Date?, retentionDays: Int? = nil, answersDeleteAt: Date? = nil,
        answersDeletedAt: Date? = nil, picture: Picture? = nil, decided: [Decided]? = nil,
        questions: [QuestionBody]
    ) {
        self.code = code
        self.title = title
        self.intro = intro
        self.identity = identity
        self.anonymous = anonymous
        self.minimumGroup = minimumGroup
        self.showResults = showResults
        self.oneByOne = oneByOne
        self.state = state
        self.version = version
        self.opensAt = opensAt
        self.closesAt = closesAt
        self.retentionDays = retentionDays
        self.answersDeleteAt = answersDeleteAt
        self.answersDeletedAt = answersDeletedAt
        self.picture = picture
        self.decided = decided
        self.questions = questions
    }
}
