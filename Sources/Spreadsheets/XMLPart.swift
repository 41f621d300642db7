/// The small parts of a workbook (ECMA-376 part 1, SpreadsheetML, and part 2, packaging).
enum XMLPart {
    static let head = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
    static let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    static let relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    private static let package = "http://schemas.openxmlformats.org/package/2006"
    private static let types = "application/vnd.openxmlformats-officedocument"

    /// The style of a cell, as an index into the formats of `styles`.
    enum Style: Int {
        case plain
        case heading
        case day
        case instant
        /// Text that would become a formula when edited. The quote prefix keeps it text.
        case quoted
    }

    static let styles = """
        \(head)<styleSheet xmlns="\(main)"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/>\
        <numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts>\
        <fonts count="2"><font><sz val="11"/><name val="Calibri"/><family val="2"/></font>\
        <font><b/><sz val="11"/><name val="Calibri"/><family val="2"/></font></fonts>\
        <fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>\
        </fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>\
        <cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>\
        <cellXfs count="5"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>\
        <xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>\
        <xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>\
        <xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>\
        <xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0" quotePrefix="1"/></cellXfs>\
        <cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>
        """

    static let packageRelations = relationships([("officeDocument", "xl/workbook.xml")])

    /// Relationships in order, starting with `rId1`.
    static func relationships(_ targets: [(kind: String, target: String)]) -> String {
        let lines = targets.enumerated().map { index, part in
            "<Relationship Id=\"rId\(index + 1)\" Type=\"\(relations)/\(part.kind)\" Target=\"\(part.target)\"/>"
        }
        return "\(head)<Relationships xmlns=\"\(package)/relationships\">\(lines.joined())</Relationships>"
    }

    static func contentTypes(sheets: Int, charts: Int) -> String {
        func part(_ name: String, _ type: String) -> String {
            "<Override PartName=\"/xl/\(name)\" ContentType=\"\(types).\(type)+xml\"/>"
        }
        var parts = [part("workbook.xml", "spreadsheetml.sheet.main"), part("styles.xml", "spreadsheetml.styles")]
        parts += (0..<sheets).map { part("worksheets/sheet\($0 + 1).xml", "spreadsheetml.worksheet") }
        if charts > 0 { parts.append(part("drawings/drawing1.xml", "drawing")) }
        parts += (0..<charts).map { part("charts/\(ChartGrid.chartName($0))", "drawingml.chart") }
        return """
            \(head)<Types xmlns="\(package)/content-types"><Default Extension="rels" \
            ContentType="application/vnd.openxmlformats-package.relationships+xml"/>\
            <Default Extension="xml" ContentType="application/xml"/>\(parts.joined())</Types>
            """
    }

    /// The beginning of a table's sheet, up to its rows. The heading is frozen.
    static func sheetHead(_ columns: [SheetColumn], isSelected: Bool) -> String {
        let widths = columns.enumerated().map { index, column in
            "<col min=\"\(index + 1)\" max=\"\(index + 1)\" width=\"\(column.width)\""
                + (column.isHidden ? " hidden=\"1\"" : "") + " customWidth=\"1\"/>"
        }
        return """
            \(head)<worksheet xmlns="\(main)"><sheetViews><sheetView\(isSelected ? " tabSelected=\"1\"" : "") \
            workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>\
            <selection pane="bottomLeft"/></sheetView></sheetViews><sheetFormatPr defaultRowHeight="15"/>\
            <cols>\(widths.joined())</cols><sheetData>
            """
    }

    /// - Parameters:
    ///   - sheets: The name of each sheet, with the range of its table if it has one.
    ///   - active: The index of the sheet that is shown first.
    static func workbook(sheets: [(name: String, table: String?)], active: Int) -> [UInt8] {
        var xml = Array(head.utf8)
        xml +=
            """
            <workbook xmlns="\(main)" xmlns:r="\(relations)"><bookViews><workbookView xWindow="240" yWindow="15" \
            windowWidth="24000" windowHeight="12000"\(active == 0 ? "" : " activeTab=\"\(active)\"")/></bookViews><sheets>
            """.utf8
        for (index, sheet) in sheets.enumerated() {
            xml += "<sheet name=\"".utf8
            xml.appendPlainText(sheet.name)
            xml += "\" sheetId=\"\(index + 1)\" r:id=\"rId\(index + 1)\"/>".utf8
        }
        xml += "</sheets><definedNames>".utf8
        for (index, sheet) in sheets.enumerated() {
            guard let table = sheet.table else { continue }
            xml += "<definedName name=\"_xlnm._FilterDatabase\" localSheetId=\"\(index)\" hidden=\"1\">".utf8
            xml.appendPlainText(table)
            xml += "</definedName>".utf8
        }
        xml += "</definedNames></workbook>".utf8
        return xml
    }
}
