import Domain

/// The results of a grid as a self-contained SVG image: a stacked bar for each statement, diverging from the middle of
/// the scale.
///
/// The same values produce the same bytes. Sizes are in pixels, but the image can be scaled.
public struct GridChart: Sendable {
    private static let fontSize = 13.0
    private static let lineHeight = 16.0
    private static let thickness = 20.0
    private static let minWidthForLabels = 440.0
    private static let swatch = 14.0

    let statements: [QuestionResult]
    let grid: Grid
    let meeting: String
    let withheld: Chart.Withheld?
    let arrangement: DivergingBars.Arrangement
    let width: Double
    let name: String

    /// Returns nil for questions that are not statements of a grid on one scale.
    ///
    /// - Parameters:
    ///   - statements: The results of the statements, in the form's order.
    ///   - meeting: The meeting's title.
    ///   - width: Clamped to `Chart.widths`.
    public init?(
        of statements: [QuestionResult], meeting: String, withheld: Chart.Withheld? = nil,
        arrangement: DivergingBars.Arrangement = .split, order: DivergingBars.Order = .form,
        width: Int = Chart.defaultWidth, inMeeting id: String
    ) {
        guard let first = statements.first, let grid = first.grid,
            statements.allSatisfy({ $0.grid?.key == grid.key && $0.points.count == first.points.count })
        else { return nil }
        let shares = statements.map { $0.points.map { $0.share ?? 0 } }
        self.statements = DivergingBars.order(of: shares, by: order).map { statements[$0] }
        (self.grid, self.meeting, self.withheld, self.arrangement) = (grid, meeting, withheld, arrangement)
        self.width = Double(min(max(width, Chart.widths.lowerBound), Chart.widths.upperBound))
        name = "chart-\(id.lowercased().suffix(12))-\(grid.key)"
    }

    private var isWithheld: Bool { withheld != nil && statements.contains { $0.points.isEmpty } }
    private var points: [QuestionResult.Point] { statements[0].points }

    public func svg() -> String {
        var canvas = Canvas(width: width, name: name)
        canvas.paragraph(grid.title, size: 18, weight: .bold, color: Palette.ink, atMost: 3)
        canvas.paragraph(meeting, size: 13, color: Palette.soft, atMost: 1)
        canvas.space(4)
        if isWithheld {
            canvas.space(10)
            canvas.notice(withheldNotice)
        } else {
            canvas.paragraph(answers, size: 13, color: Palette.ink, atMost: 2)
            if withheld != nil { canvas.paragraph(partlyWithheldNotice, size: 12, color: Palette.soft, atMost: 3) }
            canvas.space(10)
            draw(&canvas)
        }
        return canvas.document(title: "\(plain(grid.title)) – \(plain(meeting))", description: description)
    }

    // MARK: The drawing

    private func draw(_ canvas: inout Canvas) {
        let fills = points.indices.map { canvas.fill(at: $0, color: Self.color(of: $0, among: points.count)) }
        drawLegend(fills, &canvas)
        let bars = DivergingBars(statements.map { $0.points.map { $0.share ?? 0 } }, arrangement)
        let labels = statements.map { plain($0.title) }
        let isBeside = canvas.inner >= Self.minWidthForLabels
        let widest = labels.map { TextFit.width($0, size: Self.fontSize) }.max() ?? 0
        let labelWidth = isBeside ? min(canvas.inner * 0.42, widest + 2) : canvas.inner
        let start = isBeside ? canvas.left + labelWidth + 10 : canvas.left
        let scale = (canvas.right - start) / max(bars.extent.upperBound - bars.extent.lowerBound, 0.001)
        func place(_ value: Double) -> Double { start + (value - bars.extent.lowerBound) * scale }
        let long = statements.map { Self.numbers(of: $0, hasShares: true) }
        let fits = long.allSatisfy { TextFit.width($0, size: 11) <= canvas.right - start }
        for (row, statement) in statements.enumerated() {
            let lines = TextFit.lines(labels[row], within: labelWidth, size: Self.fontSize, atMost: 3)
            let height = Double(lines.count) * Self.lineHeight
            let barTop = canvas.y + (isBeside ? 2 : height + 4)
            for (index, line) in lines.enumerated() {
                canvas.write(
                    line, isBeside ? start - 10 : start, canvas.y + Self.fontSize + Double(index) * Self.lineHeight,
                    isBeside ? .right : .left, size: Self.fontSize, partOf: labels[row])
            }
            for (index, part) in bars.bars[row].enumerated() {
                let point = statement.points[index]
                canvas.bucket(id: "\(statement.key):\(point.id)", count: point.count, title: Self.sentence(point)) {
                    guard point.count > 0 else { return }
                    $0.rect(
                        place(part.lowerBound), barTop, max(1, (part.upperBound - part.lowerBound) * scale),
                        Self.thickness, fill: fills[index], stroke: Self.color(of: index, among: points.count))
                }
            }
            canvas.line(place(0), barTop - 3, place(0), barTop + Self.thickness + 3, color: Palette.ink)
            let numbers = fits ? long[row] : Self.numbers(of: statement, hasShares: false)
            let size = TextFit.size(of: numbers, within: canvas.right - start, upTo: 11, atLeast: 7)
            canvas.write(
                numbers, start, barTop + Self.thickness + 14, .left, size: size, color: Palette.soft)
            canvas.descend(to: max(canvas.y + height, barTop + Self.thickness + 18) + 10)
        }
    }

    private func drawLegend(_ fills: [String], _ canvas: inout Canvas) {
        var x = canvas.left
        for (index, point) in points.enumerated() {
            let label = TextFit.lines(
                plain(Self.label(of: point, in: statements[0])), within: canvas.inner - 24, size: 12, atMost: 1)[0]
            let width = Self.swatch + 6 + TextFit.width(label, size: 12) + 16
            if x > canvas.left, x + width - 16 > canvas.right {
                x = canvas.left
                canvas.space(22)
            }
            canvas.rect(
                x, canvas.y, Self.swatch, Self.swatch, fill: fills[index],
                stroke: Self.color(of: index, among: points.count))
            canvas.write(label, x + Self.swatch + 6, canvas.y + 11.5, .left, size: 12)
            x += width
        }
        canvas.space(34)
    }

    /// The counts in the order of the scale, and the mean.
    private static func numbers(of statement: QuestionResult, hasShares: Bool) -> String {
        let mean = statement.summary?.mean.map { " · mean \(NumberFormat.mean($0))" } ?? ""
        let counts = statement.points.map { hasShares ? amount($0) : NumberFormat.count($0.count) }
        return counts.joined(separator: ", ") + mean
    }

    private static func color(of index: Int, among count: Int) -> String {
        switch DivergingBars.side(of: index, among: count) {
        case .below: Palette.marks[1]
        case .neutral: Palette.passives
        case .above: Palette.marks[0]
        }
    }

    // MARK: Words

    private static func label(of point: QuestionResult.Point, in result: QuestionResult) -> String {
        if point.id == result.points.first?.id, let label = result.minLabel { return "\(point.label) \(label)" }
        if point.id == result.points.last?.id, let label = result.maxLabel { return "\(point.label) \(label)" }
        return point.label
    }

    /// `20 (54.1%)`
    private static func amount(_ point: QuestionResult.Point) -> String {
        let count = NumberFormat.count(point.count)
        return point.share.map { "\(count) (\(NumberFormat.percent($0)))" } ?? count
    }

    private static func sentence(_ point: QuestionResult.Point) -> String { "\(plain(point.label)): \(amount(point))" }

    /// The number of answers of each statement.
    private var answers: String {
        let counts = statements.map(\.answered)
        guard let low = counts.min(), let high = counts.max(), high > 0 else { return "No answers yet" }
        let range = low == high ? "" : "\(NumberFormat.count(low)) to "
        return "\(range)\(NumberFormat.count(high)) \(high == 1 ? "answer" : "answers")"
    }

    private var withheldNotice: String {
        "Not shown yet: results appear in groups of at least \(withheld?.minimum ?? 0) submissions."
    }

    private var partlyWithheldNotice: String {
        guard let withheld else { return "" }
        return
            "Based on \(NumberFormat.count(withheld.shown)) submissions. Newer ones are added in groups of at least "
            + "\(withheld.minimum)."
    }

    /// All numbers as sentences, for screen readers.
    private var description: String {
        if isWithheld { return withheldNotice }
        let sentences = statements.map { statement in
            let counts = statement.points.map(Self.sentence).joined(separator: "; ")
            let mean = statement.summary?.mean.map { "; the mean is \(NumberFormat.mean($0))" } ?? ""
            return statement.answered == 0
                ? "\(plain(statement.title)): no answers yet." : "\(plain(statement.title)): \(counts)\(mean)."
        }
        return ([answers + "."] + sentences + [partlyWithheldNotice]).filter { !$0.isEmpty }.joined(separator: " ")
    }
}
