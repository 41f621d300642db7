import Domain

/// The result of a choice question as horizontal bars, in the form's order.
extension Chart {
    /// If the chart is narrower, labels are above their bars instead of beside them.
    private static let roomForLabels = 440.0
    private static let size = 13.0
    private static let lineHeight = 16.0
    private static let thickness = 16.0

    private struct Row {
        let point: QuestionResult.Point
        let label: String
        let lines: [String]
        let amount: String
    }

    func bars(_ canvas: inout Canvas) {
        let labels = result.points.map { plain($0.label) }
        let amounts = result.points.map(amount)
        let isBeside = canvas.inner >= Self.roomForLabels
        let widest = labels.map { TextFit.width($0, size: Self.size) }.max() ?? 0
        let available = isBeside ? min(canvas.inner * 0.42, widest + 2) : canvas.inner
        let start = isBeside ? canvas.left + available + 10 : canvas.left
        let longest = amounts.map { TextFit.width($0, size: Self.size) }.max() ?? 0
        let full = max(20, canvas.right - start - longest - 8)
        let most = max(1, result.points.map(\.count).max() ?? 1)
        let top = canvas.y
        for (place, point) in result.points.enumerated() {
            let row = Row(
                point: point, label: labels[place],
                lines: TextFit.lines(labels[place], within: available, size: Self.size, most: 2), amount: amounts[place]
            )
            let length = full * Double(point.count) / Double(most)
            if isBeside {
                beside(row, at: place, from: start, length, &canvas)
            } else {
                above(row, at: place, from: start, length, &canvas)
            }
        }
        if isBeside { canvas.line(start, top, start, canvas.y, color: Palette.line) }
    }

    private func beside(_ row: Row, at place: Int, from start: Double, _ length: Double, _ canvas: inout Canvas) {
        let height = max(26, Double(row.lines.count) * Self.lineHeight + 8)
        let middle = canvas.y + height / 2
        let first = middle - Double(row.lines.count) * Self.lineHeight / 2 + Self.size - 1
        bar(row, at: place, from: start, length, middle, &canvas) { canvas in
            for (index, line) in row.lines.enumerated() {
                canvas.write(
                    line, start - 10, first + Double(index) * Self.lineHeight, .right, size: Self.size, of: row.label)
            }
        }
        canvas.space(height)
    }

    private func above(_ row: Row, at place: Int, from start: Double, _ length: Double, _ canvas: inout Canvas) {
        let text = Double(row.lines.count) * Self.lineHeight
        let top = canvas.y
        bar(row, at: place, from: start, length, top + text + 6 + Self.thickness / 2, &canvas) { canvas in
            for (index, line) in row.lines.enumerated() {
                canvas.write(
                    line, start, top + Self.size + Double(index) * Self.lineHeight, .left, size: Self.size,
                    of: row.label)
            }
        }
        canvas.space(text + Self.thickness + 18)
    }

    private func bar(
        _ row: Row, at place: Int, from start: Double, _ length: Double, _ middle: Double, _ canvas: inout Canvas,
        _ label: (inout Canvas) -> Void
    ) {
        let color = Palette.marks[place % Palette.marks.count]
        let fill = row.point.count > 0 ? canvas.fill(at: place, color: color) : ""
        canvas.bucket(id: row.point.id, count: row.point.count, title: said(row.point)) { canvas in
            label(&canvas)
            if row.point.count > 0 {
                canvas.rect(
                    start, middle - Self.thickness / 2, max(1, length), Self.thickness, fill: fill, stroke: color)
            }
            canvas.write(row.amount, start + length + 8, middle + 4.5, .left, size: Self.size)
        }
    }
}
