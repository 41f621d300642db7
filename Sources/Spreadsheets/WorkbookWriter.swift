/// A streaming XLSX writer in constant memory. It makes the parts of the file, and `WorkbookArchive` compresses them.
///
/// The available libraries write an archive only once they have all rows: an export of a million rows would need 370 MB
/// of disk space and send nothing until its end.
///
/// Begin a table, write its rows and finish the workbook. Steps can be drained at any time. The same calls produce the
/// same file. Rows that don't fit into a sheet continue on another. Text that doesn't fit into a cell is cut and listed
/// on the sheet "Notes".
public final class WorkbookWriter {
    struct Sheet {
        var name: String
        /// 0 for the sheet of charts.
        var columns: Int
        var rows = 0
    }

    private static let chunkSize = 64 * 1024

    let limits: SheetLimits
    /// Whether a spreadsheet program shows the charts first, if there are any. The table remains the first sheet for
    /// other programs.
    let opensOnCharts: Bool
    /// The steps since the last call of `drain`.
    private var steps: [WorkbookArchive.Step] = []
    /// The number of bytes in the contents of these steps.
    public private(set) var pendingBytes = 0
    /// The bytes of the current sheet, without those in `xml`.
    private var sheetBytes: UInt64 = 0
    var sheets: [Sheet] = []
    var charts: [any SheetChart] = []
    /// The tables of the sheet "Grids".
    private var grids: [SheetGrid] = []
    var notes = SheetNotes()
    private var xml: [UInt8] = []
    /// The name of the current table.
    private var tableName = ""
    /// The number of the table's current sheet, from 1.
    private var sheetNumber = 0
    private var columns: [SheetColumn] = []
    private var rowXML = RowXML(columns: 0)

    public init(limits: SheetLimits = SheetLimits(), opensOnCharts: Bool = false) {
        self.limits = limits
        self.opensOnCharts = opensOnCharts
        add("_rels/.rels", Array(XMLPart.packageRelations.utf8))
        add("xl/styles.xml", Array(XMLPart.styles.utf8))
    }

    /// Returns the steps since the last call.
    public func drain() -> [WorkbookArchive.Step] {
        defer { (steps, pendingBytes) = ([], 0) }
        return steps
    }

    /// Begins a table on a sheet with this name, at most 25 characters without `[]:*?/\`.
    public func begin(_ name: String, _ columns: [SheetColumn]) {
        self.columns = columns
        rowXML = RowXML(columns: columns.count, maxCharacters: limits.characters)
        (tableName, sheetNumber) = (name, 0)
        beginSheet()
    }

    /// Writes one row with a cell for each column.
    public func row(_ cells: [SheetCell]) {
        precondition(cells.count == columns.count, "a row has a cell for each column")
        startSheetIfFull()
        append(fitting(cells), .plain)
    }

    /// Writes one row, to which `append` appends the cells in the order of their columns. Nothing is written if `append`
    /// returns false or throws.
    public func row(_ append: (RowXML, inout [UInt8]) throws -> Bool) rethrows -> Bool {
        startSheetIfFull()
        return try appendRow(append)
    }

    /// The position of the next row. Starts another sheet if `count` rows don't fit on this one but would on an empty
    /// one.
    public func position(forRows count: Int) -> (sheet: String, row: Int) {
        if count > rowsLeft, count < limits.rows { nextSheet() }
        return (sheets[sheets.count - 1].name, sheets[sheets.count - 1].rows + 1)
    }

    /// Adds a chart to the sheet "Charts". Beyond the limit, it adds a note at the chart's first cell instead.
    public func add(_ chart: BarChart) {
        guard charts.count == limits.charts else { return charts.append(chart) }
        let cell = CellReference.name(column: chart.counts, row: chart.row)
        note(chart.sheet, cell, nil, "No chart, because there are \(limits.charts) already: \(chart.title)")
    }

    /// Adds a chart of stacked bars, with its numbers on the sheet "Grids". Beyond the limit of charts, it adds a note.
    public func add(_ grid: SheetGrid) {
        guard charts.count < limits.charts else {
            let sheet = sheets[sheets.count - 1]
            let cell = CellReference.name(column: 0, row: sheet.rows + 1)
            return note(
                sheet.name, cell, nil, "No chart, because there are \(limits.charts) already: \(grid.title)")
        }
        // The first row is the heading of the sheet.
        let row = grids.reduce(2) { $0 + $1.bars.count + 1 }
        charts.append(StackedBarChart(title: grid.title, sheet: "Grids", headRow: row, labels: 1, grid: grid))
        grids.append(grid)
    }

    private var rowsLeft: Int { limits.rows - sheets[sheets.count - 1].rows }

    private func startSheetIfFull() {
        if rowsLeft == 0 || sheetBytes + UInt64(xml.count) >= limits.bytes { nextSheet() }
    }

    private func nextSheet() {
        endSheet()
        beginSheet()
    }

    private func beginSheet() {
        sheetNumber += 1
        sheets.append(Sheet(name: sheetNumber == 1 ? tableName : "\(tableName) \(sheetNumber)", columns: columns.count))
        sheetBytes = 0
        steps.append(.begin("xl/worksheets/sheet\(sheets.count).xml"))
        xml += XMLPart.sheetHead(columns, isSelected: sheets.count == 1 && !opensOnCharts).utf8
        append(columns.map { .text($0.heading) }, .heading)
    }

    func endSheet() {
        let sheet = sheets[sheets.count - 1]
        let last = CellReference.name(column: sheet.columns - 1, row: sheet.rows)
        xml += "</sheetData><autoFilter ref=\"A1:\(last)\"/></worksheet>".utf8
        flush()
        steps.append(.end)
    }

    private func append(_ cells: [SheetCell], _ style: XMLPart.Style) {
        _ = appendRow { row, xml in
            for (column, cell) in cells.enumerated() { row.append(cell, column: column, style, to: &xml) }
            return true
        }
    }

    private func appendRow(_ append: (RowXML, inout [UInt8]) throws -> Bool) rethrows -> Bool {
        let (start, row) = (xml.count, sheets[sheets.count - 1].rows + 1)
        var isWritten = false
        defer { if !isWritten { xml.removeSubrange(start...) } }
        rowXML.begin(row: row, in: &xml)
        isWritten = try append(rowXML, &xml)
        guard isWritten else { return false }
        rowXML.end(in: &xml)
        sheets[sheets.count - 1].rows = row
        if xml.count >= Self.chunkSize { flush() }
        return true
    }

    private func flush() {
        steps.append(.content(xml))
        pendingBytes += xml.count
        sheetBytes += UInt64(xml.count)
        xml = []
        xml.reserveCapacity(Self.chunkSize + Self.chunkSize / 8)
    }

    private func add(_ name: String, _ content: [UInt8]) {
        steps += [.begin(name), .content(content), .end]
        pendingBytes += content.count
    }

    /// Cuts the texts that exceed the limit, and adds a note for each of them.
    private func fitting(_ cells: [SheetCell]) -> [SheetCell] {
        var cells = cells
        for (column, cell) in cells.enumerated() {
            guard case .text(let text) = cell, let cut = CutText(text, limit: limits.characters) else { continue }
            cells[column] = .text(cut.text)
            let sheet = sheets[sheets.count - 1]
            note(
                sheet.name, CellReference.name(column: column, row: sheet.rows + 1), cut.length,
                "Cut off, because a cell holds \(limits.characters) characters; CSV and NDJSON have the full text.")
        }
        return cells
    }

    private func note(_ sheet: String, _ cell: String, _ length: Int?, _ text: String) {
        notes.add([.text(sheet), .text(cell), length.map { .integer($0) } ?? .empty, .text(text)], limit: limits.notes)
    }
}

extension WorkbookWriter {
    /// Writes the charts, the notes and the parts that refer to other parts. No row can follow.
    public func finish() {
        endSheet()
        if !grids.isEmpty {
            begin("Grids", SheetGrid.columns)
            for cells in grids.flatMap(\.rows) { row(cells) }
            endSheet()
        }
        if !charts.isEmpty { writeCharts() }
        let rows = notes.rows
        if !rows.isEmpty {
            begin("Notes", SheetNotes.columns)
            for cells in rows { row(cells) }
            endSheet()
        }
        let active = opensOnCharts ? sheets.firstIndex { $0.columns == 0 } ?? 0 : 0
        let named = sheets.map { sheet in
            let table = CellReference.table(sheet: sheet.name, columns: sheet.columns, rows: sheet.rows)
            return (name: sheet.name, table: sheet.columns > 0 ? table : nil)
        }
        add("xl/workbook.xml", XMLPart.workbook(sheets: named, active: active))
        let targets = sheets.indices.map { ("worksheet", "worksheets/sheet\($0 + 1).xml") }
        add("xl/_rels/workbook.xml.rels", Array(XMLPart.relationships(targets + [("styles", "styles.xml")]).utf8))
        add("[Content_Types].xml", Array(XMLPart.contentTypes(sheets: sheets.count, charts: charts.count).utf8))
        steps.append(.finish)
    }

    private func writeCharts() {
        let grid = ChartGrid(charts: charts)
        sheets.append(Sheet(name: "Charts", columns: 0))
        let sheet = "sheet\(sheets.count).xml"
        add("xl/worksheets/\(sheet)", grid.sheet(isSelected: opensOnCharts))
        let drawing = [(kind: "drawing", target: "../drawings/drawing1.xml")]
        add("xl/worksheets/_rels/\(sheet).rels", Array(XMLPart.relationships(drawing).utf8))
        add("xl/drawings/drawing1.xml", grid.drawing())
        let targets = charts.indices.map { (kind: "chart", target: "../charts/\(ChartGrid.chartName($0))") }
        add("xl/drawings/_rels/drawing1.xml.rels", Array(XMLPart.relationships(targets).utf8))
        for (index, chart) in charts.enumerated() {
            add("xl/charts/\(ChartGrid.chartName(index))", chart.part())
        }
    }
}
