import Domain
import Foundation

/// The result of a single-choice question as a ring, clockwise from the top, with all numbers in the legend.
extension Chart {
    /// The radius of the hole as a fraction of the outer radius.
    private static let holeRatio = 0.58
    /// The smallest inner width at which the legend is beside the ring. In narrower charts, the legend is below.
    private static let minWidthForLegendBeside = 420.0
    /// The side of the colored squares in the legend.
    private static let swatch = 16.0

    func doughnut(_ canvas: inout Canvas) {
        let radius = min(105, canvas.inner * 0.28)
        let isBeside = canvas.inner >= Self.minWidthForLegendBeside
        let top = canvas.y + 4
        let start = isBeside ? canvas.left + 2 * radius + 36 : canvas.left
        let legend = Legend(self, available: canvas.right - start - Self.swatch - 10)
        // If the legend is longer than the ring, both start at the top.
        let ringTop = isBeside ? top + max(0, min(legend.height / 2, 2 * radius) - radius) : top
        let legendTop = isBeside ? top + max(0, radius - legend.height / 2) : top + 2 * radius + 20
        let x = isBeside ? canvas.left + radius + 4 : canvas.width / 2
        drawRing(x, ringTop + radius, radius, legend, start, legendTop, &canvas)
        canvas.descend(to: max(ringTop + 2 * radius, legendTop + legend.height) + 4)
    }

    /// The labels broken into lines, and their total height.
    private struct Legend {
        let rows: [(lines: [String], label: String)]
        /// Whether each part has a single line that ends with its numbers. Otherwise the numbers are on a separate
        /// line.
        let isDense: Bool

        init(_ chart: Chart, available: Double) {
            let points = chart.result.points
            let isDense = points.count > 2 * Chart.doughnutParts
            let amounts = points.map { TextFit.width(chart.amount($0), size: 14) }.max() ?? 0
            self.isDense = isDense
            rows = points.map { point in
                let label = plain(point.label)
                let labelWidth = isDense ? available - amounts - 10 : available
                return (TextFit.lines(label, within: labelWidth, size: 13, atMost: isDense ? 1 : 2), label)
            }
        }

        var height: Double { rows.reduce(0) { $0 + height($1.lines) } }

        func height(_ lines: [String]) -> Double {
            isDense ? 24 : Double(lines.count + 1) * 16 + 10
        }
    }

    private func drawRing(
        _ x: Double, _ y: Double, _ radius: Double, _ legend: Legend, _ start: Double, _ legendTop: Double,
        _ canvas: inout Canvas
    ) {
        // The sum of the drawn buckets, not the number of answers: some answers may name an option that was removed.
        let total = result.points.reduce(0) { $0 + $1.count }
        var precedingCount = 0
        var top = legendTop
        for (index, point) in result.points.enumerated() {
            let color = Palette.marks[index % Palette.marks.count]
            let fill = canvas.fill(at: index, color: color)
            let row = legend.rows[index]
            canvas.bucket(id: point.id, count: point.count, title: sentence(for: point)) { canvas in
                if point.count > 0 {
                    let part = Self.part(
                        from: Double(precedingCount) / Double(total),
                        to: Double(precedingCount + point.count) / Double(total))
                    canvas.path(part(x, y, radius), fill: fill, stroke: Palette.background, width: 2.5)
                    canvas.path(part(x, y, radius), stroke: color, width: 0.75)
                }
                canvas.rect(start, top + 1, Self.swatch, Self.swatch, fill: fill, stroke: color)
                let edge = start + Self.swatch + 10
                for (lineIndex, line) in row.lines.enumerated() {
                    canvas.write(line, edge, top + 13 + Double(lineIndex) * 16, .left, size: 13, partOf: row.label)
                }
                if legend.isDense {
                    canvas.write(amount(point), canvas.right, top + 13, .right, size: 13, weight: .bold)
                } else {
                    canvas.write(
                        amount(point), edge, top + 13 + Double(row.lines.count) * 16, .left, size: 13, weight: .bold)
                }
            }
            precedingCount += point.count
            top += legend.height(row.lines)
        }
        if total == 0 {
            canvas.path(Self.part(from: 0, to: 1)(x, y, radius), fill: Palette.quiet, stroke: Palette.line)
        }
        drawCenter(x, y, radius, &canvas)
    }

    /// Writes the number of answers into the hole.
    private func drawCenter(_ x: Double, _ y: Double, _ radius: Double, _ canvas: inout Canvas) {
        let available = 2 * radius * Self.holeRatio - 12
        let count = NumberFormat.count(result.answered)
        canvas.write(
            count, x, y + 4, .middle, size: TextFit.size(of: count, within: available, upTo: 26, atLeast: 9),
            weight: .bold)
        canvas.write(
            result.answered == 1 ? "answer" : "answers", x, y + 22, .middle, size: 12, color: Palette.soft)
    }

    /// The path of a part of the ring between two fractions of the circle. The full ring is drawn as two circles, one
    /// of them reversed, so that the hole stays empty.
    private static func part(
        from start: Double, to end: Double
    ) -> (_ x: Double, _ y: Double, _ radius: Double) -> String {
        { x, y, radius in
            func point(_ share: Double, _ radius: Double) -> String {
                let angle = 2 * Double.pi * share
                return
                    "\(NumberFormat.coordinate(x + radius * sin(angle))) \(NumberFormat.coordinate(y - radius * cos(angle)))"
            }
            func arc(_ radius: Double, to share: Double, large: Bool, clockwise: Bool) -> String {
                "A\(NumberFormat.coordinate(radius)) \(NumberFormat.coordinate(radius)) 0 \(large ? 1 : 0) \(clockwise ? 1 : 0) "
                    + point(share, radius)
            }
            let inner = radius * holeRatio
            // If both ends round to the same point, the arc would be empty. The full ring is drawn instead.
            let isClosed = end - start > 0.5 && point(start, radius) == point(end, radius)
            guard end - start < 1, !isClosed else {
                return [radius, inner].map { radius in
                    let clockwise = radius != inner
                    return "M\(point(0, radius))" + arc(radius, to: 0.5, large: false, clockwise: clockwise)
                        + arc(radius, to: 0, large: false, clockwise: clockwise) + "z"
                }.joined()
            }
            let large = end - start > 0.5
            return "M\(point(start, radius))" + arc(radius, to: end, large: large, clockwise: true)
                + "L\(point(end, inner))" + arc(inner, to: start, large: large, clockwise: false) + "z"
        }
    }
}
