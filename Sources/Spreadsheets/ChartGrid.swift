/// A sheet of charts in two columns, with page breaks that do not cut through a chart.
struct ChartGrid {
    /// The width of a chart, in columns of 64 pixels.
    private static let width = 8
    /// The space between two charts, in columns and in rows.
    private static let gap = 1
    /// The printable area of a landscape page with margins of half an inch, in columns of 64 pixels and rows of 15
    /// points. The width is that of Letter and the height that of A4, so that a page fits on both.
    private static let page = (width: 10.0 * 96 / 64, height: (210 / 25.4 - 1) * 72 / 15)

    let charts: [any SheetChart]
    /// The left column and top row of each chart, at the first free position of its page.
    private let places: [(column: Int, line: Int)]
    /// The number of rows above each page except the first.
    private let breaks: [Int]
    /// The scale in percent. At the maximum of 74, a page has room for two charts side by side, and for three charts of
    /// the usual height one above the other. The tallest chart may require a smaller scale.
    private let scale: Int

    init(charts: [any SheetChart]) {
        self.charts = charts
        let tallest = charts.map(\.height).max() ?? 1
        let fitting = min(Self.page.width / Double(2 * Self.width + Self.gap), Self.page.height / Double(tallest))
        scale = max(10, min(74, Int(fitting * 100)))
        let lines = Int(Self.page.height * 100 / Double(scale))
        var (places, breaks, top, ends): ([(column: Int, line: Int)], [Int], Int, [Int]) = ([], [], 0, [0, 0])
        for chart in charts {
            if ends[0] + chart.height > top + lines, ends[1] + chart.height > top + lines, ends != [top, top] {
                top = max(ends[0], ends[1])
                ends = [top, top]
                breaks.append(top)
            }
            let side = ends[0] <= ends[1] ? 0 : 1
            places.append((side * (Self.width + Self.gap), ends[side]))
            ends[side] += chart.height + Self.gap
        }
        (self.places, self.breaks) = (places, breaks)
    }

    static func chartName(_ index: Int) -> String { "chart\(index + 1).xml" }

    /// The sheet, which contains only the drawing. It does not use "fit to page", because that makes programs ignore
    /// the page breaks.
    func sheet(isSelected: Bool) -> [UInt8] {
        let elements = breaks.map { "<brk id=\"\($0)\" max=\"16383\" man=\"1\"/>" }.joined()
        let count = breaks.count
        let pages =
            breaks.isEmpty ? "" : "<rowBreaks count=\"\(count)\" manualBreakCount=\"\(count)\">\(elements)</rowBreaks>"
        return Array(
            """
            \(XMLPart.head)<worksheet xmlns="\(XMLPart.main)" xmlns:r="\(XMLPart.relations)"><sheetViews>\
            <sheetView showGridLines="0"\(isSelected ? " tabSelected=\"1\"" : "") workbookViewId="0"/></sheetViews><sheetFormatPr defaultRowHeight="15"/>\
            <cols><col min="1" max="\(2 * Self.width + Self.gap)" width="9.140625" customWidth="1"/></cols><sheetData/>\
            <pageMargins left="0.5" right="0.5" top="0.5" bottom="0.5" header="0.3" footer="0.3"/>\
            <pageSetup paperSize="9" scale="\(scale)" orientation="landscape"/>\(pages)<drawing r:id="rId1"/></worksheet>
            """.utf8)
    }

    /// The positions of the charts. A screen reader announces a chart's title.
    func drawing() -> [UInt8] {
        var xml = Array(XMLPart.head.utf8)
        xml +=
            """
            <xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" \
            xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">
            """.utf8
        for (index, (chart, place)) in zip(charts, places).enumerated() {
            xml += "<xdr:twoCellAnchor>".utf8
            xml += corner("from", place.column, place.line).utf8
            xml += corner("to", place.column + Self.width, place.line + chart.height).utf8
            xml +=
                """
                <xdr:graphicFrame macro=""><xdr:nvGraphicFramePr><xdr:cNvPr id="\(index + 2)" \
                name="Chart \(index + 1)" descr="
                """.utf8
            xml.appendPlainText(chart.title)
            xml +=
                """
                "/><xdr:cNvGraphicFramePr/></xdr:nvGraphicFramePr><xdr:xfrm><a:off x="0" y="0"/>\
                <a:ext cx="0" cy="0"/></xdr:xfrm><a:graphic>\
                <a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/chart">\
                <c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" \
                xmlns:r="\(XMLPart.relations)" r:id="rId\(index + 1)"/></a:graphicData></a:graphic>\
                </xdr:graphicFrame><xdr:clientData/></xdr:twoCellAnchor>
                """.utf8
        }
        xml += "</xdr:wsDr>".utf8
        return xml
    }

    private func corner(_ name: String, _ column: Int, _ line: Int) -> String {
        """
        <xdr:\(name)><xdr:col>\(column)</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>\(line)</xdr:row>\
        <xdr:rowOff>0</xdr:rowOff></xdr:\(name)>
        """
    }
}
