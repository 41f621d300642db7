/// One question. Fields that do not apply to its kind are left out.
public struct QuestionBody: Codable, Sendable, Equatable {
    public struct Option: Codable, Sendable, Equatable {
        public var id: String
        public var label: String

        public init(id: String, label: String) {
            self.id = id
            self.label = label
        }
    }

    /// A statement of a grid: a rating of its own on the grid's scale.
    public struct Statement: Codable, Sendable, Equatable {
        public var key: String
        public var title: String
        @WhereApplicable public var description: String?

        public init(key: String, title: String, description: String? = nil) {
            self.key = key
            self.title = title
            self.description = description
        }
    }

    /// The grid of which a rating is a statement.
    public struct Grid: Codable, Sendable, Equatable {
        public var key: String
        public var title: String
        public var description: String?

        public init(key: String, title: String, description: String? = nil) {
            self.key = key
            self.title = title
            self.description = description
        }
    }

    public var key: String
    /// `choice`, `rating` or `text`; in a form of a host also `grid`.
    public var kind: String
    public var title: String
    @WhereApplicable public var description: String?
    public var required: Bool?
    /// The condition under which the question is asked. Left out if it always is.
    public var showIf: ShowIf?

    public var min: Int?
    public var max: Int?
    @WhereApplicable public var minLabel: String?
    @WhereApplicable public var maxLabel: String?
    /// `mean` or `nps`.
    public var metric: String?
    /// The label of a rating's abstention, such as "cannot judge". Left out if the question offers none.
    public var abstain: String?
    /// The label of each point of a rating, from the lowest. Left out if at most the ends have labels.
    public var labels: [String]?
    /// Grids only.
    public var statements: [Statement]?
    /// The grid of a rating, in the form as participants get it. There each statement is a question.
    public var grid: Grid?

    public var multiple: Bool?
    public var minSelections: Int?
    /// Multiple choices only.
    @WhereApplicable public var maxSelections: Int?
    public var options: [Option]?
    public var other: Bool?

    public var maxLength: Int?

    public init(key: String, kind: String, title: String, description: String? = nil, required: Bool? = nil) {
        self.key = key
        self.kind = kind
        self.title = title
        self.description = description
        self.required = required
    }

    public static func rating(
        _ key: String, _ title: String, min: Int? = nil, max: Int? = nil, metric: String? = nil,
        abstain: String? = nil, required: Bool? = nil
    ) -> Self {
        var question = Self(key: key, kind: "rating", title: title, required: required)
        question.min = min
        question.max = max
        question.metric = metric
        question.abstain = abstain
        return question
    }

    /// A grid of statements that are rated on one scale, with a label for each point.
    public static func grid(
        _ key: String, _ title: String, statements: [Statement], min: Int = 1, labels: [String],
        abstain: String? = nil, required: Bool? = nil
    ) -> Self {
        var question = Self(key: key, kind: "grid", title: title, required: required)
        (question.min, question.max) = (min, min + labels.count - 1)
        (question.labels, question.statements, question.abstain) = (labels, statements, abstain)
        return question
    }

    public static func choice(
        _ key: String, _ title: String, options: [Option], multiple: Bool? = nil, maxSelections: Int? = nil,
        other: Bool? = nil, required: Bool? = nil
    ) -> Self {
        var question = Self(key: key, kind: "choice", title: title, required: required)
        question.options = options
        question.multiple = multiple
        question.maxSelections = maxSelections
        question.other = other
        return question
    }

    public static func text(_ key: String, _ title: String, maxLength: Int? = nil, required: Bool? = nil) -> Self {
        var question = Self(key: key, kind: "text", title: title, required: required)
        question.maxLength = maxLength
        return question
    }
}
