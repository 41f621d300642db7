/// A native chart of one column of counts. The spreadsheet draws it from the referenced cells.
public struct BarChart: SheetChart, Sendable, Equatable {
    public enum Direction: Sendable, Equatable {
        /// Vertical bars, for a scale.
        case columns
        /// Horizontal bars, which leave space for labels.
        case bars
    }

    /// One bar, with copies of its cells' values, from which some programs draw the chart.
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
    /// The columns of labels and counts, from 0.
    public var labels: Int
    public var counts: Int
    /// The row of the first bar, from 1.
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

    /// The number of sheet rows that the chart covers.
    var height: Int { direction == .columns ? 15 : max(15, 5 + bars.count) }
}

extension BarChart {
    private static let color = "1F5FA8"

    /// The chart part (DrawingML charts, ECMA-376 part 1, 21.2).
    ///
    /// Bars are labeled with their counts, so there is no value axis. Rows hidden by a filter keep their bars.
    func part() -> [UInt8] {
        var xml = Array(XMLPart.head.utf8)
        xml +=
            """
            <c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" \
            xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" \
            xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">\
            <c:roundedCorners val="0"/><c:chart>
            """.utf8
        Self.appendTitle(title, to: &xml)
        xml +=
            """
            <c:autoTitleDeleted val="0"/><c:plotArea><c:layout/><c:barChart>\
            <c:barDir val="\(direction == .columns ? "col" : "bar")"/><c:grouping val="clustered"/>\
            <c:varyColors val="0"/>
            """.utf8
        appendSeries(to: &xml)
        xml += "<c:gapWidth val=\"40\"/><c:axId val=\"1\"/><c:axId val=\"2\"/></c:barChart>".utf8
        appendAxes(to: &xml)
        xml +=
            """
            </c:plotArea><c:plotVisOnly val="0"/><c:dispBlanksAs val="gap"/></c:chart></c:chartSpace>
            """.utf8
        return xml
    }

    static func appendTitle(_ title: String, to xml: inout [UInt8]) {
        xml +=
            """
            <c:title><c:tx><c:rich><a:bodyPr/><a:lstStyle/><a:p><a:pPr><a:defRPr sz="1100" b="1"/></a:pPr><a:r>\
            <a:rPr lang="en-US" sz="1100" b="1"/><a:t>
            """.utf8
        xml.appendPlainText(title)
        xml += "</a:t></a:r></a:p></c:rich></c:tx><c:overlay val=\"0\"/></c:title>".utf8
    }

    private func appendSeries(to xml: inout [UInt8]) {
        xml +=
            """
            <c:ser><c:idx val="0"/><c:order val="0"/><c:spPr><a:solidFill><a:srgbClr val="\(Self.color)"/>\
            </a:solidFill></c:spPr><c:invertIfNegative val="0"/><c:dLbls><c:showLegendKey val="0"/>\
            <c:showVal val="1"/><c:showCatName val="0"/><c:showSerName val="0"/><c:showPercent val="0"/>\
            <c:showBubbleSize val="0"/></c:dLbls><c:cat><c:strRef><c:f>
            """.utf8
        xml.appendPlainText(labelRange)
        xml += "</c:f><c:strCache><c:ptCount val=\"\(bars.count)\"/>".utf8
        for (index, bar) in bars.enumerated() {
            xml += "<c:pt idx=\"\(index)\"><c:v>".utf8
            xml.appendCellText(bar.label)
            xml += "</c:v></c:pt>".utf8
        }
        xml += "</c:strCache></c:strRef></c:cat><c:val><c:numRef><c:f>".utf8
        xml.appendPlainText(countRange)
        xml +=
            """
            </c:f><c:numCache><c:formatCode>General</c:formatCode><c:ptCount val="\(bars.count)"/>
            """.utf8
        for (index, bar) in bars.enumerated() {
            xml += "<c:pt idx=\"\(index)\"><c:v>\(bar.count)</c:v></c:pt>".utf8
        }
        xml += "</c:numCache></c:numRef></c:val></c:ser>".utf8
    }

    /// Bars are in the form's order, from the top.
    private func appendAxes(to xml: inout [UInt8]) {
        let isUpright = direction == .columns
        xml +=
            """
            <c:catAx><c:axId val="1"/><c:scaling><c:orientation val="\(isUpright ? "minMax" : "maxMin")"/></c:scaling>\
            <c:delete val="0"/><c:axPos val="\(isUpright ? "b" : "l")"/><c:numFmt formatCode="General" sourceLinked="1"/>\
            <c:majorTickMark val="none"/><c:minorTickMark val="none"/><c:tickLblPos val="low"/><c:crossAx val="2"/>\
            <c:crosses val="autoZero"/><c:auto val="0"/><c:lblAlgn val="ctr"/><c:lblOffset val="100"/>\
            <c:tickLblSkip val="1"/>\
            <c:noMultiLvlLbl val="1"/></c:catAx>\
            <c:valAx><c:axId val="2"/><c:scaling><c:orientation val="minMax"/><c:min val="0"/></c:scaling>\
            <c:delete val="1"/><c:axPos val="\(isUpright ? "l" : "b")"/><c:numFmt formatCode="General" sourceLinked="1"/>\
            <c:majorTickMark val="none"/><c:minorTickMark val="none"/><c:tickLblPos val="nextTo"/><c:crossAx val="1"/>\
            <c:crosses val="\(isUpright ? "autoZero" : "max")"/><c:crossBetween val="between"/></c:valAx>
            """.utf8
    }
}
