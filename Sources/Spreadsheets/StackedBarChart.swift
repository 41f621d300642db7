/// A chart that spreadsheets draw on the sheet "Charts".
protocol SheetChart {
    var title: String { get }
    /// The number of sheet rows that the chart covers.
    var height: Int { get }
    func part() -> [UInt8]
}

/// A native chart of stacked bars, one for each row of a table. Negative numbers lie to the left of 0.
struct StackedBarChart: SheetChart, Equatable {
    var title: String
    var sheet: String
    /// The row with the names of the parts, from 1. The bars are in the rows below it.
    var headRow: Int
    /// The column with the names of the bars, from 0. The parts are in the columns after it.
    var labels: Int
    var grid: SheetGrid

    var height: Int { max(15, 8 + 2 * grid.bars.count) }

    func part() -> [UInt8] {
        var xml = Array(XMLPart.head.utf8)
        xml +=
            """
            <c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" \
            xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" \
            xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">\
            <c:roundedCorners val="0"/><c:chart>
            """.utf8
        BarChart.appendTitle(title, to: &xml)
        xml +=
            """
            <c:autoTitleDeleted val="0"/><c:plotArea><c:layout/><c:barChart><c:barDir val="bar"/>\
            <c:grouping val="stacked"/><c:varyColors val="0"/>
            """.utf8
        for index in grid.parts.indices { append(part: index, to: &xml) }
        xml +=
            """
            <c:gapWidth val="40"/><c:overlap val="100"/><c:axId val="1"/><c:axId val="2"/></c:barChart>\
            <c:catAx><c:axId val="1"/><c:scaling><c:orientation val="maxMin"/></c:scaling><c:delete val="0"/>\
            <c:axPos val="l"/><c:numFmt formatCode="General" sourceLinked="1"/><c:majorTickMark val="none"/>\
            <c:minorTickMark val="none"/><c:tickLblPos val="low"/><c:crossAx val="2"/><c:crosses val="autoZero"/>\
            <c:auto val="0"/><c:lblAlgn val="ctr"/><c:lblOffset val="100"/><c:tickLblSkip val="1"/>\
            <c:noMultiLvlLbl val="1"/></c:catAx>\
            <c:valAx><c:axId val="2"/><c:scaling><c:orientation val="minMax"/></c:scaling><c:delete val="0"/>\
            <c:axPos val="b"/><c:majorGridlines><c:spPr><a:ln><a:solidFill><a:srgbClr val="D9DDE2"/></a:solidFill></a:ln>\
            </c:spPr></c:majorGridlines><c:numFmt formatCode="0%;0%" sourceLinked="0"/><c:majorTickMark val="none"/>\
            <c:minorTickMark val="none"/><c:tickLblPos val="nextTo"/><c:crossAx val="1"/><c:crosses val="max"/>\
            <c:crossBetween val="between"/></c:valAx></c:plotArea><c:legend><c:legendPos val="b"/>
            """.utf8
        for index in grid.parts.indices where grid.parts[index].isRepeated {
            xml += "<c:legendEntry><c:idx val=\"\(index)\"/><c:delete val=\"1\"/></c:legendEntry>".utf8
        }
        xml +=
            """
            <c:overlay val="0"/></c:legend><c:plotVisOnly val="0"/><c:dispBlanksAs val="gap"/></c:chart></c:chartSpace>
            """.utf8
        return xml
    }

    private func append(part index: Int, to xml: inout [UInt8]) {
        let (part, column, count) = (grid.parts[index], labels + 1 + index, grid.bars.count)
        let rows = headRow + 1...headRow + count
        xml += "<c:ser><c:idx val=\"\(index)\"/><c:order val=\"\(index)\"/><c:tx><c:strRef><c:f>".utf8
        xml.appendPlainText(CellReference.range(sheet: sheet, column: column, rows: headRow...headRow))
        xml += "</c:f><c:strCache><c:ptCount val=\"1\"/><c:pt idx=\"0\"><c:v>".utf8
        xml.appendCellText(part.label)
        xml +=
            """
            </c:v></c:pt></c:strCache></c:strRef></c:tx><c:spPr><a:solidFill><a:srgbClr val="\(part.color)"/>\
            </a:solidFill></c:spPr><c:invertIfNegative val="0"/><c:cat><c:strRef><c:f>
            """.utf8
        xml.appendPlainText(CellReference.range(sheet: sheet, column: labels, rows: rows))
        xml += "</c:f><c:strCache><c:ptCount val=\"\(count)\"/>".utf8
        for (index, bar) in grid.bars.enumerated() {
            xml += "<c:pt idx=\"\(index)\"><c:v>".utf8
            xml.appendCellText(bar.label)
            xml += "</c:v></c:pt>".utf8
        }
        xml += "</c:strCache></c:strRef></c:cat><c:val><c:numRef><c:f>".utf8
        xml.appendPlainText(CellReference.range(sheet: sheet, column: column, rows: rows))
        xml += "</c:f><c:numCache><c:formatCode>0%;0%</c:formatCode><c:ptCount val=\"\(count)\"/>".utf8
        for (row, bar) in grid.bars.enumerated() {
            xml += "<c:pt idx=\"\(row)\"><c:v>\(bar.values[index])</c:v></c:pt>".utf8
        }
        xml += "</c:numCache></c:numRef></c:val></c:ser>".utf8
    }
}

/// The numbers of a chart of stacked bars, as a table on the sheet "Grids".
public struct SheetGrid: Sendable, Equatable {
    public struct Part: Sendable, Equatable {
        public var label: String
        /// Six hexadecimal digits.
        public var color: String
        /// Whether another part has the same name, so that the legend leaves this one out.
        public var isRepeated: Bool

        public init(label: String, color: String, isRepeated: Bool = false) {
            (self.label, self.color, self.isRepeated) = (label, color, isRepeated)
        }
    }

    public struct Bar: Sendable, Equatable {
        public var label: String
        /// A number for each part.
        public var values: [Double]

        public init(label: String, values: [Double]) { (self.label, self.values) = (label, values) }
    }

    /// The largest number of parts: eleven points, of which the middle is divided.
    static let maxParts = 12

    public var title: String
    /// In the order in which they are stacked, from 0 on to both sides.
    public var parts: [Part]
    public var bars: [Bar]

    public init(title: String, parts: [Part], bars: [Bar]) {
        (self.title, self.parts, self.bars) = (title, parts, bars)
    }

    static let columns =
        [SheetColumn("Grid", width: 24), SheetColumn("Statement", width: 40)]
        + (1...maxParts).map { SheetColumn("Part \($0)", width: 14) }

    /// A row with the names of the parts, and one for each bar.
    var rows: [[SheetCell]] {
        func row(_ cells: [SheetCell]) -> [SheetCell] {
            cells + Array(repeating: .empty, count: Self.columns.count - cells.count)
        }
        return [row([.text(title), .empty] + parts.map { .text($0.label) })]
            + bars.map { bar in row([.text(title), .text(bar.label)] + bar.values.map { .real($0) }) }
    }
}
