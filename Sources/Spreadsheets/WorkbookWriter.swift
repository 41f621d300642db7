/// A streaming XLSX writer in constant memory.
///
/// The available libraries write an archive only once they have all rows: an export of a million rows would take 370 MB
/// of disk and send nothing until its end.
///
/// Begin a table, write its rows and finish the workbook. Bytes can be drained at any time. The same calls give the
/// same bytes. Rows that don't fit into a sheet continue on another. Text that doesn't fit into a cell is cut and
/// listed on the sheet "Notes".
public final class WorkbookWriter {
    struct Sheet {
        var name: String
        /// 0 for the sheet of charts.
        var columns: Int
        var rows = 0
    }

    private static let chunk = 32 * 1024

    let limits: SheetLimits
    /// Whether a spreadsheet opens on the charts, if there are any. The table remains the first sheet for programs.
    let opensOnCharts: Bool
    var zip = ZipStream()
    var sheets: [Sheet] = []
    var charts: [BarChart] = []
    var notes = SheetNotes()
    private var xml: [UInt8] = []
    /// The name of the current table.
    private var title = ""
    /// The number of the table's current sheet, from 1.
    private var part = 0
    private var columns: [SheetColumn] = []
    private var rowXML = RowXML(columns: 0)

    public init(limits: SheetLimits = SheetLimits(), opensOnCharts: Bool = false) {
        self.limits = limits
        self.opensOnCharts = opensOnCharts
        zip.add("_rels/.rels", Array(XMLPart.packageRelations.utf8))
        zip.add("xl/styles.xml", Array(XMLPart.styles.utf8))
    }

    /// Moves the available bytes to the end of a buffer.
    public func drain(into buffer: inout [UInt8]) { zip.drain(into: &buffer) }

    /// Begins a table on a sheet with this name, at most 25 characters without `[]:*?/\`.
    public func begin(_ name: String, _ columns: [SheetColumn]) {
        self.columns = columns
        rowXML = RowXML(columns: columns.count)
        (title, part) = (name, 0)
        beginSheet()
    }

    /// Writes one row with a cell for each column.
    public func row(_ cells: [SheetCell]) {
        precondition(cells.count == columns.count, "a row has a cell for each column")
        if rowsLeft == 0 || zip.entrySize + UInt64(xml.count) >= limits.bytes { nextSheet() }
        append(fitting(cells), .plain)
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

    private var rowsLeft: Int { limits.rows - sheets[sheets.count - 1].rows }

    private func nextSheet() {
        endSheet()
        beginSheet()
    }

    private func beginSheet() {
        part += 1
        sheets.append(Sheet(name: part == 1 ? title : "\(title) \(part)", columns: columns.count))
        zip.begin("xl/worksheets/sheet\(sheets.count).xml")
        xml += XMLPart.sheetHead(columns, isSelected: sheets.count == 1 && !opensOnCharts).utf8
        append(columns.map { .text($0.heading) }, .heading)
    }

    func endSheet() {
        let sheet = sheets[sheets.count - 1]
        let last = CellReference.name(column: sheet.columns - 1, row: sheet.rows)
        xml += "</sheetData><autoFilter ref=\"A1:\(last)\"/></worksheet>".utf8
        flush()
        zip.end()
    }

    private func append(_ cells: [SheetCell], _ style: XMLPart.Style) {
        sheets[sheets.count - 1].rows += 1
        rowXML.append(cells, row: sheets[sheets.count - 1].rows, style, to: &xml)
        if xml.count >= Self.chunk { flush() }
    }

    private func flush() {
        zip.append(xml)
        xml.removeAll(keepingCapacity: true)
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
    /// Writes the charts, the notes and the parts that refer to the others. No row can follow.
    public func finish() {
        endSheet()
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
        zip.add("xl/workbook.xml", XMLPart.workbook(sheets: named, active: active))
        let targets = sheets.indices.map { ("worksheet", "worksheets/sheet\($0 + 1).xml") }
        zip.add("xl/_rels/workbook.xml.rels", Array(XMLPart.relationships(targets + [("styles", "styles.xml")]).utf8))
        zip.add("[Content_Types].xml", Array(XMLPart.contentTypes(sheets: sheets.count, charts: charts.count).utf8))
        zip.finish()
    }

    private func writeCharts() {
        let grid = ChartGrid(charts: charts)
        sheets.append(Sheet(name: "Charts", columns: 0))
        let sheet = "sheet\(sheets.count).xml"
        zip.add("xl/worksheets/\(sheet)", grid.sheet(isSelected: opensOnCharts))
        let drawing = [(kind: "drawing", target: "../drawings/drawing1.xml")]
        zip.add("xl/worksheets/_rels/\(sheet).rels", Array(XMLPart.relationships(drawing).utf8))
        zip.add("xl/drawings/drawing1.xml", grid.drawing())
        let targets = charts.indices.map { (kind: "chart", target: "../charts/\(ChartGrid.chartName($0))") }
        zip.add("xl/drawings/_rels/drawing1.xml.rels", Array(XMLPart.relationships(targets).utf8))
        for (index, chart) in charts.enumerated() {
            zip.add("xl/charts/\(ChartGrid.chartName(index))", chart.part())
        }
    }
}
