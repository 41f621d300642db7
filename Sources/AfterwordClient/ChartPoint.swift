import Contract

/// One bucket of a question, as Swift Charts uses it.
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
    /// The rating. Nil for an option.
    public var value: Int?
    public var count: Int
    /// From 0 to 1, relative to the answers to the question. Nil if there are none.
    public var share: Double?
    /// The bounds of the share's 95 % interval.
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
    /// The buckets in the form's order, empty ones included. Empty for a text question, and if all counts are withheld.
    public var chart: [ChartPoint] {
        (points ?? []).map { point in
            ChartPoint(
                id: point.id, label: point.label, value: point.value, count: point.count, share: point.share,
                low: point.low, high: point.high)
        }
    }
}

extension Results {
    /// The question with this key, or nil if the results do not contain it.
    public subscript(question key: String) -> QuestionResults? { questions.first { $0.key == key } }
}
