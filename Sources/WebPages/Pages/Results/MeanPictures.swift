import Contract
import Foundation

/// The mean of a rating as stars, one for each step of the scale.
struct Stars: TemplateValues, Hashable {
    private static let starWidth = 24
    private static let maxCount = 10

    var width: Int
    /// The width of the filled part.
    var filledWidth: String
    /// The horizontal position of each star.
    var positions: [Int]

    /// Nil for a scale without values or with more than ten.
    init?(mean: Double, outOf count: Int) {
        guard (1...Self.maxCount).contains(count) else { return nil }
        width = Self.starWidth * count
        filledWidth = String(format: "%.1f", Double(Self.starWidth) * max(0, mean))
        positions = (0..<count).map { $0 * Self.starWidth }
    }
}

/// The scale of a rating with a mark at the mean. Unlike stars, it does not suggest that the highest value is the best.
struct ScaleBar: TemplateValues, Hashable {
    /// The positions of the lowest and the highest value in percent of the width. The margins leave room for the mark.
    private static let (left, right) = (2.0, 98.0)

    /// The positions of the values.
    var ticks: [String]
    var mark: String
    /// The lowest and the highest value with their labels.
    var lowLabel: String?
    var highLabel: String?

    /// Nil for a scale with fewer than two values.
    init?(of result: QuestionResults, mean: Double) {
        let scale = (result.points ?? []).compactMap(\.value)
        guard let first = scale.min(), let last = scale.max(), first < last else { return nil }
        func position(_ value: Double) -> String {
            let share = (value - Double(first)) / Double(last - first)
            return String(format: "%.1f%%", Self.left + (Self.right - Self.left) * min(max(share, 0), 1))
        }
        ticks = scale.map { position(Double($0)) }
        mark = position(mean)
        let ends = Self.ends(of: result)
        (lowLabel, highLabel) = (ends?.low, ends?.high)
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
