import StrictJSON

/// One question of a form. Its key is the same in every round of the series.
public struct Question: Sendable, Equatable {
    /// The kind alone, by its name in JSON and tables.
    public enum KindName: String, Sendable, CaseIterable {
        case choice, rating, text
    }

    public enum Kind: Sendable, Equatable {
        case choice(Choice)
        case rating(Rating)
        case text(maxLength: Int)

        public var name: KindName {
            switch self {
            case .choice: .choice
            case .rating: .rating
            case .text: .text
            }
        }
    }

    public struct Option: Sendable, Equatable {
        public var id: String
        public var label: String

        public init(id: String, label: String) {
            self.id = id
            self.label = label
        }
    }

    public struct Choice: Sendable, Equatable {
        public var options: [Option]
        public var multiple: Bool
        public var minSelections: Int
        /// Nil means no maximum.
        public var maxSelections: Int?
        /// Whether participants may answer in their own words.
        public var other: Bool

        public init(
            options: [Option], multiple: Bool = false, minSelections: Int = 0, maxSelections: Int? = nil,
            other: Bool = false
        ) {
            self.options = options
            self.multiple = multiple
            self.minSelections = minSelections
            self.maxSelections = maxSelections
            self.other = other
        }
    }

    public struct Rating: Sendable, Equatable {
        /// The number that summarizes the ratings: their mean, or the net promoter score.
        public enum Metric: String, Sendable, CaseIterable {
            case mean, nps
        }

        public var min: Int
        public var max: Int
        public var minLabel: String?
        public var maxLabel: String?
        public var metric: Metric
        /// The label of the abstention, such as "cannot judge". Nil if the question offers none.
        public var abstain: String?
        /// The label of each point, from the lowest. Nil if at most the ends have labels.
        public var labels: [String]?

        public init(
            min: Int = 1, max: Int = 5, minLabel: String? = nil, maxLabel: String? = nil, metric: Metric = .mean,
            abstain: String? = nil, labels: [String]? = nil
        ) {
            self.min = min
            self.max = max
            self.minLabel = minLabel
            self.maxLabel = maxLabel
            self.metric = metric
            self.abstain = abstain
            self.labels = labels
        }
    }

    public var key: String
    public var title: String
    public var description: String?
    /// Whether the question has to be answered if it is asked.
    public var required: Bool
    /// The condition under which the question is asked. Nil if it always is.
    public var showIf: ShowIf?
    public var kind: Kind
    /// The grid of which a rating is a statement.
    public var grid: Grid?

    public init(
        key: String, title: String, description: String? = nil, required: Bool = false, showIf: ShowIf? = nil,
        kind: Kind, grid: Grid? = nil
    ) {
        self.key = key
        self.title = title
        self.description = description
        self.required = required
        self.showIf = showIf
        self.kind = kind
        self.grid = grid
    }

    /// The question as it is stored alone. A form lists the statements of a grid together (`Question.documents`).
    public var json: JSONValue {
        var members: [JSONValue.Member] = [
            .init("key", .string(key)),
            .init("kind", .string(kind.name.rawValue)),
            .init("title", .string(title)),
            .init("description", JSONValue(description)),
            .init("required", .bool(required)),
        ]
        if let showIf { members.append(.init("showIf", showIf.json)) }
        switch kind {
        case .choice(let choice): members += choice.members
        case .rating(let rating): members += rating.members
        case .text(let maxLength): members.append(.init("maxLength", JSONValue(maxLength)))
        }
        if let grid { members.append(.init("grid", grid.json)) }
        return .object(members)
    }
}

extension Question.Choice {
    /// The members of a choice. A single choice has no limits on the number of selections.
    fileprivate var members: [JSONValue.Member] {
        var members: [JSONValue.Member] = [.init("multiple", .bool(multiple))]
        if multiple {
            members.append(.init("minSelections", JSONValue(minSelections)))
            members.append(.init("maxSelections", JSONValue(maxSelections)))
        }
        members.append(
            .init(
                "options",
                .array(options.map { .object([.init("id", .string($0.id)), .init("label", .string($0.label))]) })))
        members.append(.init("other", .bool(other)))
        return members
    }
}

extension Question.Rating {
    var members: [JSONValue.Member] {
        var members: [JSONValue.Member] = [
            .init("min", JSONValue(min)),
            .init("max", JSONValue(max)),
            .init("minLabel", JSONValue(minLabel)),
            .init("maxLabel", JSONValue(maxLabel)),
            .init("metric", .string(metric.rawValue)),
        ]
        if let labels { members.append(.init("labels", .array(labels.map { .string($0) }))) }
        if let abstain { members.append(.init("abstain", .string(abstain))) }
        return members
    }
}
