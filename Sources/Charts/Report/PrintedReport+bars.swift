import Domain

extension PrintedReport {
    /// Stacked bars of the statements of a grid, which diverge from the middle of the scale.
    public struct Bars: Sendable {
        public struct Row: Sendable {
            public var label: String
            /// The part of each point of the scale, out of 1 for the whole width.
            public var parts: [ClosedRange<Double>]
            /// The numbers below the bar.
            public var numbers: String

            public init(label: String, parts: [ClosedRange<Double>], numbers: String) {
                (self.label, self.parts, self.numbers) = (label, parts, numbers)
            }
        }

        /// The labels of the points, from the lowest.
        public var points: [String]
        /// The place of the middle of the scale, out of 1.
        public var zero: Double
        public var rows: [Row]

        public init(points: [String], zero: Double, rows: [Row]) {
            (self.points, self.zero, self.rows) = (points, zero, rows)
        }
    }
}

extension ReportLayout {
    private static let labelShare = 0.4
    private static let lineHeight = 16.0
    private static let barHeight = 14.0
    private static let swatch = 11.0

    mutating func add(_ bars: PrintedReport.Bars) {
        addLegend(bars.points)
        let start = canvas.left + canvas.inner * Self.labelShare
        let width = canvas.right - start
        for row in bars.rows {
            let label = plain(row.label)
            let lines = TextFit.lines(label, within: start - canvas.left - 12, size: Self.bodySize, atMost: 8)
            let height = max(Double(lines.count) * Self.lineHeight, Self.barHeight + 16) + 8
            reserve(height)
            let isReversed = TextFit.isRightToLeft(label)
            for (index, line) in lines.enumerated() {
                canvas.write(
                    line, isReversed ? start - 12 : canvas.left,
                    canvas.y + Self.bodySize + Double(index) * Self.lineHeight, isReversed ? .right : .left,
                    size: Self.bodySize, partOf: label)
            }
            for (index, part) in row.parts.enumerated() where part.upperBound > part.lowerBound {
                canvas.rect(
                    start + part.lowerBound * width, canvas.y, (part.upperBound - part.lowerBound) * width,
                    Self.barHeight, fill: Palette.grid(index, among: bars.points.count), stroke: Palette.background)
            }
            let zero = start + bars.zero * width
            canvas.line(zero, canvas.y - 2, zero, canvas.y + Self.barHeight + 2, color: Palette.ink, width: 1)
            let size = TextFit.size(of: row.numbers, within: width, upTo: 10, atLeast: 6)
            canvas.write(
                row.numbers, start, canvas.y + Self.barHeight + 13, .left, size: size, color: Palette.soft)
            canvas.space(height)
        }
    }

    private mutating func addLegend(_ points: [String]) {
        canvas.space(6)
        reserve(60)
        var x = canvas.left
        for (index, point) in points.enumerated() {
            let label = TextFit.lines(plain(point), within: canvas.inner - 24, size: Self.smallSize, atMost: 1)[0]
            let width = Self.swatch + 5 + TextFit.width(label, size: Self.smallSize) + 14
            if x > canvas.left, x + width - 14 > canvas.right {
                x = canvas.left
                canvas.space(18)
            }
            canvas.rect(
                x, canvas.y, Self.swatch, Self.swatch, fill: Palette.grid(index, among: points.count), stroke: nil)
            canvas.write(label, x + Self.swatch + 5, canvas.y + 9.5, .left, size: Self.smallSize)
            x += width
        }
        canvas.space(26)
    }
}

extension Palette {
    /// The colour of a point of a grid's scale: one below the middle and another above it, the ends the strongest.
    static func grid(_ index: Int, among count: Int) -> String {
        let strength = DivergingBars.strength(of: index, among: count)
        let (color, part) =
            switch DivergingBars.side(of: index, among: count) {
            case .below: (marks[1], 0.35 + 0.65 * strength)
            case .neutral: (passives, 0.45)
            case .above: (marks[0], 0.35 + 0.65 * strength)
            }
        let channels = stride(from: 1, to: 7, by: 2).map { start in
            let digits = color.dropFirst(start).prefix(2)
            let value = String(Int((255 + (Double(Int(digits, radix: 16) ?? 0) - 255) * part).rounded()), radix: 16)
            return value.count == 1 ? "0" + value : value
        }
        return "#" + channels.joined()
    }
}
