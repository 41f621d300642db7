import Foundation

/// The mean of a rating as stars, as many as its scale has steps.
enum Stars {
    private static let side = 24.0
    private static let most = 10

    static func values(mean: Double, outOf max: Int) -> [String: Any]? {
        guard (1...most).contains(max) else { return nil }
        let filled = side * Swift.max(0, mean)
        return [
            "width": Int(side) * max, "filled": String(format: "%.1f", filled),
            "places": (0..<max).map { ["x": $0 * Int(side)] },
        ]
    }
}
