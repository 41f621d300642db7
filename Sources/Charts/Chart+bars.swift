import Domain

/// The result of a choice question as horizontal bars, in the order of the form's options.
extension Chart {
    /// The smallest inner width at which labels are beside their bars. In narrower charts, labels are above their bars.
    private static let minWidthForLabels = 440.0
    private static let fontSize = 13.0
    private static let lineHeight = 16.0
    private static let thickness = 16.0

    private struct Row {
        let point: QuestionResult.Point
        /// The full label, and the lines into which it is broken.
        let label: String
        let lines: [String]
        let amount: String
    }

    func bars(_ canvas: inout Canvas) {
        let labels = result.points.map { plain($0.label) }
        let amounts = result.points.map(amount)
        let isBeside = canvas.inner >= Self.minWidthForLabels
        let widestLabel = labels.map { TextFit.width($0, size: Self.fontSize) }.max() ?? 0
        let labelWidth = isBeside ? min(canvas.inner * 0.42, widestLabel + 2) : canvas.inner
        let start = isBeside ? canvas.left + labelWidth + 10 : canvas.left
        let widestAmount = amounts.map { TextFit.width($0, size: Self.fontSize) }.max() ?? 0
        let fullLength = max(20, canvas.right - start - widestAmount - 8)
        let highestCount = max(1, result.points.map(\.count).max() ?? 1)
        let top = canvas.y
        for (index, point) in result.points.enumerated() {
            let row = Row(
                point: point, label: labels[index],
                lines: TextFit.lines(labels[index], within: labelWidth, size: Self.fontSize, atMost: 2),
                amount: amounts[index])
            let length = fullLength * Double(point.count) / Double(highestCount)
            if isBeside {
                drawBeside(row, at: index, from: start, length, &canvas)
            } else {
                drawAbove(row, at: index, from: start, length, &canvas)
            }
        }
        if isBeside { canvas.line(start, top, start, canvas.y, color: Palette.line) }
    }

    /// Draws a bar with its label on the left.
    private func drawBeside(_ row: Row, at index: Int, from start: Double, _ length: Double, _ canvas: inout Canvas) {
        let height = max(26, Double(row.lines.count) * Self.lineHeight + 8)
        let middle = canvas.y + height / 2
        let firstBaseline = middle - Double(row.lines.count) * Self.lineHeight / 2 + Self.fontSize - 1
        drawBar(row, at: index, from: start, length, middle, label: (start - 10, firstBaseline, .right), &canvas)
        canvas.space(height)
    }

    /// Draws a bar with its label above it.
    private func drawAbove(_ row: Row, at index: Int, from start: Double, _ length: Double, _ canvas: inout Canvas) {
        let textHeight = Double(row.lines.count) * Self.lineHeight
        let middle = canvas.y + textHeight + 6 + Self.thickness / 2
        let firstBaseline = canvas.y + Self.fontSize
        drawBar(row, at: index, from: start, length, middle, label: (start, firstBaseline, .left), &canvas)
        canvas.space(textHeight + Self.thickness + 18)
    }

    /// - Parameter label: The position of the label's first line.
    private func drawBar(
        _ row: Row, at index: Int, from start: Double, _ length: Double, _ middle: Double,
        label: (x: Double, y: Double, side: Canvas.Side), _ canvas: inout Canvas
    ) {
        let color = Palette.marks[index % Palette.marks.count]
        let fill = row.point.count > 0 ? canvas.fill(at: index, color: color) : ""
        canvas.bucket(id: row.point.id, count: row.point.count, title: sentence(for: row.point)) { canvas in
            for (lineIndex, line) in row.lines.enumerated() {
                canvas.write(
                    line, label.x, label.y + Double(lineIndex) * Self.lineHeight, label.side, size: Self.fontSize,
                    partOf: row.label)
            }
            if row.point.count > 0 {
                canvas.rect(
                    start, middle - Self.thickness / 2, max(1, length), Self.thickness, fill: fill, stroke: color)
            }
            canvas.write(row.amount, start + length + 8, middle + 4.5, .left, size: Self.fontSize)
        }
    }
}
