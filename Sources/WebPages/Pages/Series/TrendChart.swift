import Contract
import Foundation

/// The chart of a trend. A round without answers interrupts a line, and changes of the question are marked.
struct TrendChart {
    enum Unit {
        case mean, score, share

        func text(_ value: Double, in language: Language) -> String {
            switch self {
            case .mean: NumberText.decimal(value, in: language)
            case .score: NumberText.score(value)
            case .share: NumberText.percent(value)
            }
        }

        /// A short text for the axis.
        func tick(_ value: Double) -> String {
            // The axis of means has a line at each whole number, which all languages write in the same way.
            self == .mean ? NumberText.short(value, in: .english) : text(value, in: .english)
        }
    }

    /// The largest number of lines in one chart. The table has all options.
    static let maxLines = 6
    /// The edges of the plot area in the picture, which is 640 wide.
    private static let (left, right, top, bottom) = (64.0, 624.0, 20.0, 196.0)
    /// The largest number of round labels that fit below the chart.
    private static let maxTicks = 12

    let rounds: [Int]
    let lines: [Trend.Dataset]
    let unit: Unit
    /// The rounds in which the question changed.
    let marks: Set<Int>
    /// The question's scale. If it is known, intervals do not widen the axis, but are clipped to it.
    var scale: ClosedRange<Double>?

    /// The range of the vertical axis.
    private var span: ClosedRange<Double> {
        switch unit {
        case .share: return 0...1
        case .score: return -100...100
        case .mean:
            // The numbers may widen the axis, because an earlier round may have had a wider scale.
            let bounds: [Double?] =
                scale.map { [$0.lowerBound, $0.upperBound] } ?? lines.flatMap { $0.low + $0.high }
            let values = (lines.flatMap { $0.data } + bounds).compactMap(\.self)
            let (low, high) = ((values.min() ?? 0).rounded(.down), (values.max() ?? 1).rounded(.up))
            return low...max(high, low + 1)
        }
    }

    private func x(_ index: Int) -> Double {
        guard rounds.count > 1 else { return (Self.left + Self.right) / 2 }
        let (first, last) = (Self.left + 16, Self.right - 16)
        return first + (last - first) * Double(index) / Double(rounds.count - 1)
    }

    private func y(_ value: Double) -> Double {
        let share = (value - span.lowerBound) / (span.upperBound - span.lowerBound)
        return Self.bottom - (Self.bottom - Self.top) * min(max(share, 0), 1)
    }

    /// The runs of consecutive rounds that have a number.
    private func runs(_ data: [Double?]) -> [[(index: Int, value: Double)]] {
        var runs: [[(index: Int, value: Double)]] = [[]]
        for (index, value) in data.enumerated() {
            if let value { runs[runs.count - 1].append((index, value)) } else { runs.append([]) }
        }
        return runs.filter { !$0.isEmpty }
    }

    private func points(_ run: [(index: Int, value: Double)]) -> String {
        run.map { "\(Self.number(x($0.index))),\(Self.number(y($0.value)))" }.joined(separator: " ")
    }

    private static func number(_ value: Double) -> String { String(format: "%.1f", value) }

    var drawing: TrendDrawing {
        // A scale has a grid line at each value. Other axes have four parts.
        let parts = unit == .mean ? Int(span.upperBound - span.lowerBound) : 4
        let step = (span.upperBound - span.lowerBound) / Double(parts)
        let tickStep = max(1, (rounds.count + Self.maxTicks - 1) / Self.maxTicks)
        return TrendDrawing(
            left: Self.number(Self.left), right: Self.number(Self.right), top: Self.number(Self.top),
            bottom: Self.number(Self.bottom), textRight: Self.number(Self.left - 8),
            grid: (0...parts).map { count in
                let value = span.lowerBound + Double(count) * step
                return .init(y: Self.number(y(value)), textY: Self.number(y(value) + 4), label: unit.tick(value))
            },
            ticks: rounds.indices.filter { $0 % tickStep == 0 }.map {
                .init(x: Self.number(x($0)), label: "#\(rounds[$0])")
            },
            marks: rounds.indices.filter { marks.contains(rounds[$0]) }.map { Self.number(x($0)) },
            bands: lines.count == 1 ? bands(lines[0]) : [],
            lines: lines.enumerated().map { index, line in
                .init(
                    class: "line-\(index + 1)", runs: runs(line.data).map(points),
                    dots: runs(line.data).joined().map {
                        .init(x: Self.number(x($0.index)), y: Self.number(y($0.value)))
                    })
            })
    }

    /// The areas between the bounds of the intervals, one for each run of consecutive rounds that have an interval.
    private func bands(_ line: Trend.Dataset) -> [String] {
        let intervals = rounds.indices.map { line.firstStatement(at: $0) }
        let (low, high) = (runs(intervals.map { $0?.low }), runs(intervals.map { $0?.high }))
        return zip(low, high).map { points($0) + " " + points($1.reversed()) }
    }
}

/// A trend chart for the template `trend-lines`. Its numbers are coordinates in an SVG picture.
struct TrendDrawing: TemplateValues {
    struct GridLine: TemplateValues {
        var y: String
        var textY: String
        var label: String
    }

    struct Tick: TemplateValues {
        var x: String
        var label: String
    }

    struct Dot: TemplateValues {
        var x: String
        var y: String
    }

    struct Line: TemplateValues {
        var `class`: String
        /// The corners of each run of rounds that have a number.
        var runs: [String]
        var dots: [Dot]
    }

    var left: String
    var right: String
    var top: String
    var bottom: String
    var textRight: String
    var grid: [GridLine]
    var ticks: [Tick]
    /// The horizontal positions of the rounds in which the question changed.
    var marks: [String]
    /// The corners of each area between the bounds of intervals.
    var bands: [String]
    var lines: [Line]
}
