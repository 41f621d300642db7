/// A form's definition. A field that is nil gets the API's default.
public struct FormBody: Codable, Sendable, Equatable {
    public var title: String?
    @ExplicitNull public var intro: String?
    /// `open`, `device` or `attendee`.
    public var identity: String?
    public var anonymous: Bool?
    public var minimumGroup: Int?
    /// `never`, `afterSubmission`, `afterClose` or `always`.
    public var showResults: String?
    @ExplicitNull public var cap: Int?
    @ExplicitNull public var opens: MomentBody?
    @ExplicitNull public var closes: MomentBody?
    public var graceMinutes: Int?
    public var autoPublish: Bool?
    /// Whether the form's page shows one question at a time.
    public var oneByOne: Bool?
    public var questions: [QuestionBody]

    public init(
        title: String? = nil, intro: String? = nil, identity: String? = nil, anonymous: Bool? = nil,
        minimumGroup: Int? = nil, showResults: String? = nil, cap: Int? = nil, opens: MomentBody? = nil,
        closes: MomentBody? = nil, graceMinutes: Int? = nil, autoPublish: Bool? = nil, oneByOne: Bool? = nil,
        questions: [QuestionBody]
    ) {
        self.title = title
        self.intro = intro
        self.identity = identity
        self.anonymous = anonymous
        self.minimumGroup = minimumGroup
        self.showResults = showResults
        self.cap = cap
        self.opens = opens
        self.closes = closes
        self.graceMinutes = graceMinutes
        self.autoPublish = autoPublish
        self.oneByOne = oneByOne
        self.questions = questions
    }
}
