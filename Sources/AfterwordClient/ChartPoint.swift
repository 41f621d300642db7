import Contract

/// One bucket of a question, as charts take it.
///
/// ```swift
/// Chart(question.chart) { point in
///     BarMark(x: .value("Answer", point.label), y: .value("Count", point.count))
/// }
/// ```
public struct ChartPoint: Identifiable, Hashable, Sendable {
    /// The option's id, or the rating.
    public var id: String
    public var label: String
    /// The rating itself; nil of an option.
    public var value: Int?
    public var count: Int
    /// 0 to 1, of those who answered; nil if nobody did.
    public var share: Double?
    /// The share's 95 % interval.
    public var low: Double?
    public var high: Double?

    public init(
        id: String, label: String, value: Int? = nil, count: Int, share: Double? = nil, low: Double? = nil,
        high: Double? = nil
    ) {
        self.id = id
        self.label = label
        self.value = value
        self.count = count
        self.share = share
        self.low = low
        self.high = high
    }
}

extension QuestionResults {
    /// The buckets in the form's order, empty ones too; none of a text, and none where all is withheld.
    public var chart: [ChartPoint] {
        (points ?? []).map { point in
            ChartPoint(
                id: point.id, label: point.label, value: point.value, count: point.count, share: point.share,
                low: point.low, high: point.high)
        }
    }
}

extension Results {
    /// A question by its key; nil if this version does not ask it.
    public subscript(question key: String) -> QuestionResults? { questions.first { $0.key == key } }
}
