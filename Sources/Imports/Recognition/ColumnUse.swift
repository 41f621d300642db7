/// What services write between several values in one cell.
public enum ValueSeparator: String, Sendable, CaseIterable {
    case semicolon = ";"
    case comma = ", "
}

/// What an import does with a column.
public enum ColumnUse: Sendable, Hashable {
    case skip
    case text
    /// A choice whose options are the values.
    case choice
    /// A multiple choice whose options are the values, several of which may be in one cell.
    case several(ValueSeparator)
    /// An option of a multiple choice, with a mark in each row that chose it.
    case option
    /// The words of an `other` of the choice before it.
    case otherText
    case rating(min: Int, max: Int)
    /// A rating from 0 to 10 with a net promoter score.
    case recommendation
    /// The time of each row.
    case submittedAt
    /// Rows with the same value are a meeting, or a series.
    case meeting
    case series
    /// The times of the meeting.
    case startsAt
    case endsAt

    public static let ratings: [ColumnUse] = [
        .rating(min: 1, max: 5), .rating(min: 0, max: 10), .rating(min: 1, max: 10), .rating(min: 1, max: 7),
        .rating(min: 1, max: 6), .rating(min: 1, max: 4), .rating(min: 1, max: 3), .rating(min: 0, max: 5),
    ]

    public static let all: [ColumnUse] =
        [.skip, .choice] + ValueSeparator.allCases.map(ColumnUse.several) + [.recommendation] + ratings + [
            .option, .otherText, .text, .submittedAt, .meeting, .series, .startsAt, .endsAt,
        ]

    /// A name for forms, such as `choice` or `rating-1-5`.
    public var name: String {
        switch self {
        case .skip: "skip"
        case .text: "text"
        case .choice: "choice"
        case .several(let separator): "several-\(separator)"
        case .option: "option"
        case .otherText: "other"
        case .rating(let min, let max): "rating-\(min)-\(max)"
        case .recommendation: "nps"
        case .submittedAt: "time"
        case .meeting: "meeting"
        case .series: "series"
        case .startsAt: "start"
        case .endsAt: "end"
        }
    }

    /// Nil if `all` has no use of this name.
    public init?(name: String) {
        guard let use = Self.all.first(where: { $0.name == name }) else { return nil }
        self = use
    }
}
