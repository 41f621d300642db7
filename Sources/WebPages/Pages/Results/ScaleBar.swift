import Contract
import Foundation

/// A rating's scale with a mark at the mean, which says of no value that it is the best.
enum ScaleBar {
    /// Where the first and the last value stand, in percent of its width, so that a mark there is whole.
    private static let (left, right) = (2.0, 98.0)

    static func values(of result: QuestionResults, mean: Double) -> [String: Any]? {
        let scale = (result.points ?? []).compactMap(\.value)
        guard let low = scale.min(), let high = scale.max(), low < high else { return nil }
        func place(_ value: Double) -> String {
            let share = (value - Double(low)) / Double(high - low)
            return String(format: "%.1f%%", left + (right - left) * min(max(share, 0), 1))
        }
        let ends = ends(of: result)
        return [
            "ticks": scale.map { ["x": place(Double($0))] }, "mark": place(mean), "low": ends?.low ?? "",
            "high": ends?.high ?? "",
        ]
    }

    /// What its lowest and its highest value mean.
    static func ends(of result: QuestionResults) -> (low: String, high: String)? {
        let scale = (result.points ?? []).compactMap(\.value)
        guard let low = scale.min(), let high = scale.max() else { return nil }
        return (
            [String(low), result.minLabel].compactMap(\.self).joined(separator: " "),
            [String(high), result.maxLabel].compactMap(\.self).joined(separator: " ")
        )
    }
}
