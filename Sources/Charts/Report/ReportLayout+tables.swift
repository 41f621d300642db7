/// The counts of a question: label, bar, count, share and interval in columns.
extension ReportLayout {
    private static let countWidth = 64.0
    private static let shareWidth = 64.0
    private static let rangeWidth = 92.0
    private static let barWidth = 150.0
    private static let lineHeight = 16.0
    private static let padding = 6.0

    /// The positions of a table's columns.
    private struct Columns {
        let labelWidth: Double
        let bar: Double
        /// The right ends.
        let count: Double
        let share: Double
        let range: Double

        init(_ table: PrintedReport.Table, _ canvas: Canvas) {
            let hasRanges = table.rows.contains { $0.range != nil }
            range = canvas.right
            share = range - (hasRanges ? ReportLayout.rangeWidth : 0)
            count = share - ReportLayout.shareWidth
            bar = count - ReportLayout.countWidth - ReportLayout.barWidth
            labelWidth = bar - canvas.left - 12
        }
    }

    mutating func add(_ table: PrintedReport.Table) {
        let columns = Columns(table, canvas)
        canvas.space(6)
        reserve(3 * (Self.lineHeight + Self.padding))
        add(table.head, hasRanges: columns.share < columns.range, columns)
        for (index, row) in table.rows.enumerated() {
            let label = plain(row.label + (row.endLabel.map { "  \($0)" } ?? ""))
            let lines = TextFit.lines(label, within: columns.labelWidth, size: Self.bodySize, atMost: 8)
            let height = Double(max(1, lines.count)) * Self.lineHeight + Self.padding
            let page = pages.count
            reserve(height)
            if pages.count > page {
                add(table.head, hasRanges: columns.share < columns.range, columns)
            } else if index > 0 {
                canvas.line(canvas.left, canvas.y, canvas.right, canvas.y, color: Palette.quiet, width: 1)
            }
            add(row, label, lines, columns)
            canvas.space(height)
        }
    }

    private mutating func add(_ head: PrintedReport.Table.Head, hasRanges: Bool, _ columns: Columns) {
        let y = canvas.y + Self.smallSize
        func write(_ text: String, _ x: Double, _ side: Canvas.Side) {
            canvas.write(text, x, y, side, size: Self.smallSize, color: Palette.soft)
        }
        write(head.answer, canvas.left, .left)
        write(head.count, columns.count, .right)
        write(head.share, columns.share, .right)
        if hasRanges { write(head.range, columns.range, .right) }
        canvas.space(Self.lineHeight + 2)
        canvas.line(canvas.left, canvas.y, canvas.right, canvas.y, color: Palette.line, width: 0.7)
    }

    private mutating func add(
        _ row: PrintedReport.Table.Row, _ label: String, _ lines: [String], _ columns: Columns
    ) {
        let baseline = canvas.y + Self.padding / 2 + Self.bodySize
        let isReversed = TextFit.isRightToLeft(label)
        for (index, line) in lines.enumerated() {
            canvas.write(
                line, isReversed ? canvas.left + columns.labelWidth : canvas.left,
                baseline + Double(index) * Self.lineHeight, isReversed ? .right : .left, size: Self.bodySize,
                partOf: label)
        }
        if row.fraction > 0 {
            canvas.rect(
                columns.bar, canvas.y + Self.padding / 2 + 2, max(1, Self.barWidth * min(1, row.fraction)), 12,
                fill: Palette.blue, stroke: nil)
        }
        canvas.write(row.count, columns.count, baseline, .right, size: Self.bodySize)
        canvas.write(row.share, columns.share, baseline, .right, size: Self.bodySize)
        if let range = row.range {
            canvas.write(range, columns.range, baseline, .right, size: Self.smallSize, color: Palette.soft)
        }
    }
}
