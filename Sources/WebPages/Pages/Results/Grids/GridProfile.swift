import Contract
import Foundation

/// The means of a grid's statements as a line from statement to statement, beside those of an earlier round.
struct GridProfile: TemplateValues, Hashable {
    /// A part of a line, in a drawing of 1000 × 40 whose edges meet those of the neighbouring statements.
    struct Trace: TemplateValues, Hashable {
        var line: String
        var dot: String
    }

    struct Row: TemplateValues, Hashable {
        var rowLabel: String
        /// The means in words, for people who do not see the lines.
        var means: String
        /// Empty without a mean.
        var earlierTraces: [Trace]
        var nowTraces: [Trace]
    }

    /// The earlier round: `#3`.
    var earlierRound: String
    var lowLabel: String
    var highLabel: String
    var rows: [Row]

    /// Nil unless at least two statements are compared with the same earlier round.
    ///
    /// - Parameter trends: The trends of the statements, by key.
    init?(of results: [QuestionResults], in trends: [String: Trend], of meeting: ResourceID, _ texts: PageTexts) {
        let found = results.map { result -> (now: Double?, round: Int, mean: Double)? in
            guard let trend = trends[result.key], let index = trend.meetingIds.firstIndex(of: meeting),
                let means = trend.datasets.first(where: { $0.id == "mean" }), means.change[index] != nil,
                let earlier = means.data[..<index].lastIndex(where: { $0 != nil }), let mean = means.data[earlier]
            else { return nil }
            return (result.summary?.mean, trend.rounds[earlier], mean)
        }
        let values = (results.first?.points ?? []).compactMap(\.value)
        guard let round = found.lazy.compactMap({ $0?.round }).first, found.count(where: { $0?.round == round }) > 1,
            let low = values.min(), let high = values.max(), low < high, let ends = ScaleBar.ends(of: results[0])
        else { return nil }
        earlierRound = texts("pairs.since", ["round": "#\(round)"])
        (lowLabel, highLabel) = (ends.low, ends.high)
        func place(_ mean: Double?) -> Double? {
            mean.map { 20 + 960 * min(max(($0 - Double(low)) / Double(high - low), 0), 1) }
        }
        let now = results.map { place($0.summary?.mean) }
        let before = found.map { $0?.round == round ? place($0?.mean) : nil }
        let nowName = texts("pairs.now")
        let name = earlierRound
        rows = results.indices.map { index in
            let means = [
                (nowName, results[index].summary?.mean), (name, before[index] == nil ? nil : found[index]?.mean),
            ]
            return Row(
                rowLabel: results[index].title,
                means: means.map { name, mean in
                    "\(name) \(mean.map { NumberText.decimal($0, in: texts.language) } ?? "–")"
                }.joined(separator: ", "),
                earlierTraces: Self.trace(before, at: index), nowTraces: Self.trace(now, at: index))
        }
    }

    /// The line to the halves of the ways to the neighbours.
    private static func trace(_ places: [Double?], at index: Int) -> [Trace] {
        guard let place = places[index] else { return [] }
        func half(_ neighbour: Int, _ y: Int) -> String? {
            guard places.indices.contains(neighbour), let other = places[neighbour] else { return nil }
            return String(format: "%.1f,%d", (place + other) / 2, y)
        }
        let points = [half(index - 1, 0), String(format: "%.1f,20", place), half(index + 1, 40)]
        return [Trace(line: points.compactMap(\.self).joined(separator: " "), dot: String(format: "%.1f", place))]
    }
}
