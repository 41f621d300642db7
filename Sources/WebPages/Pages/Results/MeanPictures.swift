import Contract
import Foundation

/// The mean of a rating as stars, one for each step of the scale.
struct Stars: TemplateValues {
    struct Place: TemplateValues { var x: Int }

    private static let side = 24
    private static let limit = 10

    var width: Int
    /// The width of the filled part.
    var filled: String
    var places: [Place]

    /// Nil for a scale that is too long for stars.
    init?(mean: Double, outOf count: Int) {
        guard (1...Self.limit).contains(count) else { return nil }
        width = Self.side * count
        filled = String(format: "%.1f", Double(Self.side) * max(0, mean))
        places = (0..<count).map { Place(x: $0 * Self.side) }
    }
}

/// The scale of a rating with a mark at the mean. Unlike stars, it calls no value the best.
struct ScaleBar: TemplateValues {
    struct Tick: TemplateValues { var x: String }

    /// The places of the first and the last value in percent of the width, so that the mark is whole there.
    private static let (left, right) = (2.0, 98.0)

    var ticks: [Tick]
    var mark: String
    var low: String?
    var high: String?

    init?(of result: QuestionResults, mean: Double) {
        let scale = (result.points ?? []).compactMap(\.value)
        guard let first = scale.min(), let last = scale.max(), first < last else { return nil }
        func place(_ value: Double) -> String {
            let share = (value - Double(first)) / Double(last - first)
            return String(format: "%.1f%%", Self.left + (Self.right - Self.left) * min(max(share, 0), 1))
        }
        ticks = scale.map { Tick(x: place(Double($0))) }
        mark = place(mean)
        let ends = Self.ends(of: result)
        (low, high) = (ends?.low, ends?.high)
    }

    /// The lowest and the highest value with their labels.
    static func ends(of result: QuestionResults) -> (low: String, high: String)? {
        let scale = (result.points ?? []).compactMap(\.value)
        guard let low = scale.min(), let high = scale.max() else { return nil }
        return (
            [String(low), result.minLabel].compactMap(\.self).joined(separator: " "),
            [String(high), result.maxLabel].compactMap(\.self).joined(separator: " ")
        )
    }
}
