/// A native chart of one column of counts, drawn by the spreadsheet from the cells that it names.
public struct BarChart: Sendable, Equatable {
    public enum Direction: Sendable, Equatable {
        /// From left to right, for a scale.
        case columns
        /// From top to bottom, for labels, which need room.
        case bars
    }

    /// One bar; what the cells hold, for readers that draw without them.
    public struct Bar: Sendable, Equatable {
        public var label: String
        public var count: Int

        public init(label: String, count: Int) {
            self.label = label
            self.count = count
        }
    }

    public var title: String
    public var direction: Direction
    public var sheet: String
    /// The column of the labels and that of the counts, from 0.
    public var labels: Int
    public var counts: Int
    /// The first bar's row.
    public var row: Int
    public var bars: [Bar]

    public init(
        title: String, direction: Direction, sheet: String, labels: Int, counts: Int, row: Int, bars: [Bar]
    ) {
        self.title = title
        self.direction = direction
        self.sheet = sheet
        self.labels = labels
        self.counts = counts
        self.row = row
        self.bars = bars
    }

    var labelRange: String { CellReference.range(sheet: sheet, column: labels, rows: rows) }
    var countRange: String { CellReference.range(sheet: sheet, column: counts, rows: rows) }
    private var rows: ClosedRange<Int> { row...(row + max(1, bars.count) - 1) }

    /// Lines of a sheet that it takes.
    var height: Int { direction == .columns ? 15 : max(15, 5 + bars.count) }
}
