/// Charts on a sheet of their own, two beside each other.
struct ChartGrid {
    /// In columns of the default width and lines of the default height.
    private static let width = 8
    private static let gap = 1

    let charts: [BarChart]

    /// Each chart's left column and top line: where there is room first.
    private var places: [(column: Int, line: Int)] {
        var ends = [0, 0]
        return charts.map { chart in
            let side = ends[0] <= ends[1] ? 0 : 1
            defer { ends[side] += chart.height + Self.gap }
            return (side * (Self.width + Self.gap), ends[side])
        }
    }

    static func chartName(_ index: Int) -> String { "chart\(index + 1).xml" }

    /// The sheet, empty but for its drawing; printed two charts wide.
    func sheet() -> [UInt8] {
        Array(
            """
            \(XMLPart.head)<worksheet xmlns="\(XMLPart.main)" xmlns:r="\(XMLPart.relations)"><sheetPr><pageSetUpPr \
            fitToPage="1"/></sheetPr><sheetViews><sheetView showGridLines="0" workbookViewId="0"/></sheetViews>\
            <sheetFormatPr defaultRowHeight="15"/><sheetData/><pageMargins left="0.5" right="0.5" top="0.5" \
            bottom="0.5" header="0.3" footer="0.3"/><pageSetup orientation="landscape" fitToHeight="0"/>\
            <drawing r:id="rId1"/></worksheet>
            """.utf8)
    }

    /// Where the charts stand; a chart's title is what a screen reader says.
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
