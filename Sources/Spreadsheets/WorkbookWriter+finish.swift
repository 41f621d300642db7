extension WorkbookWriter {
    /// Writes charts, notes and the parts that tell of all others; no row can follow.
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
