/// Encodes rows as XML (`CT_Row`, ECMA-376 part 1, 18.3.1.73) with inline strings.
struct RowXML {
    private let letters: [[UInt8]]

    init(columns: Int) {
        letters = (0..<columns).map { Array(CellReference.letters($0).utf8) }
    }

    func append(_ cells: [SheetCell], row: Int, _ style: XMLPart.Style, to xml: inout [UInt8]) {
        let number = Array(String(row).utf8)
        xml += "<row r=\"".utf8
        xml += number
        xml += "\">".utf8
        for (column, cell) in cells.enumerated() {
            switch cell {
            case .empty: continue
            case .real(let value) where !value.isFinite: continue
            case .text(let text):
                begin(column, number, style == .plain ? Self.style(of: text) : style, &xml)
                xml += " t=\"inlineStr\"><is><t xml:space=\"preserve\">".utf8
                xml.appendCellText(text)
                xml += "</t></is></c>".utf8
                continue
            case .integer(let value): append(String(value), column, number, style, &xml)
            case .real(let value): append(value.description, column, number, style, &xml)
            case .instant(let seconds): append(SerialDate.instant(seconds).description, column, number, .instant, &xml)
            case .day(let days): append(String(SerialDate.day(days)), column, number, .day, &xml)
            }
        }
        xml += "</row>".utf8
    }

    private func append(
        _ value: String, _ column: Int, _ number: [UInt8], _ style: XMLPart.Style, _ xml: inout [UInt8]
    ) {
        begin(column, number, style, &xml)
        xml += "><v>".utf8
        xml += value.utf8
        xml += "</v></c>".utf8
    }

    private func begin(_ column: Int, _ number: [UInt8], _ style: XMLPart.Style, _ xml: inout [UInt8]) {
        xml += "<c r=\"".utf8
        xml += letters[column]
        xml += number
        xml.append(UInt8(ascii: "\""))
        if style != .plain { xml += " s=\"\(style.rawValue)\"".utf8 }
    }

    private static func style(of text: String) -> XMLPart.Style {
        guard let first = text.utf8.first else { return .plain }
        return "=+-@'\t\r".utf8.contains(first) ? .quoted : .plain
    }
}
