/// Encodes rows as XML (`CT_Row`, ECMA-376 part 1, 18.3.1.73) with inline strings.
///
/// A cell consists of its reference and a value. The bytes of a value depend neither on the row nor on the column, so
/// they can be reused for values that recur.
public struct RowXML: Sendable {
    /// The start of a cell in each column, such as `<c r="B`.
    private let leads: [[UInt8]]
    /// The number of the current row as decimal digits.
    private var rowDigits: [UInt8] = []
    /// The maximum length of a text in UTF-16 code units.
    public let maxCharacters: Int

    public init(columns: Int, maxCharacters: Int = SheetLimits().characters) {
        self.maxCharacters = maxCharacters
        leads = (0..<columns).map { Array("<c r=\"\(CellReference.letters($0))".utf8) }
    }

    mutating func begin(row: Int, in xml: inout [UInt8]) {
        rowDigits = Array(String(row).utf8)
        xml.append("<row r=\"")
        xml.append(contentsOf: rowDigits)
        xml.append("\">")
    }

    func end(in xml: inout [UInt8]) { xml.append("</row>") }

    /// The bytes of a value; none for an empty cell.
    public static func value(_ cell: SheetCell) -> [UInt8] {
        var xml: [UInt8] = []
        if !cell.isEmpty { append(cell, .plain, to: &xml) }
        return xml
    }

    /// Appends a cell with the bytes of a value. Appends nothing if there are none.
    public func append(value: [UInt8], column: Int, to xml: inout [UInt8]) {
        guard !value.isEmpty else { return }
        beginCell(column, &xml)
        xml.append(contentsOf: value)
    }

    /// Appends a cell with a number in decimal digits.
    public func append(number digits: UnsafeBufferPointer<UInt8>, column: Int, to xml: inout [UInt8]) {
        beginCell(column, &xml)
        xml.append("\"><v>")
        xml.append(contentsOf: digits)
        xml.append("</v></c>")
    }

    /// Appends a cell with a text in UTF-8, which must not be longer than `maxCharacters`.
    public func append(text: UnsafeBufferPointer<UInt8>, column: Int, to xml: inout [UInt8]) {
        beginCell(column, &xml)
        Self.append(text, Self.style(of: text), to: &xml)
    }

    func append(_ cell: SheetCell, column: Int, _ style: XMLPart.Style = .plain, to xml: inout [UInt8]) {
        guard !cell.isEmpty else { return }
        beginCell(column, &xml)
        Self.append(cell, style, to: &xml)
    }

    private func beginCell(_ column: Int, _ xml: inout [UInt8]) {
        xml.append(contentsOf: leads[column])
        xml.append(contentsOf: rowDigits)
    }

    private static func append(_ cell: SheetCell, _ style: XMLPart.Style, to xml: inout [UInt8]) {
        switch cell {
        case .empty: break
        case .text(var text): text.withUTF8 { append($0, style == .plain ? Self.style(of: $0) : style, to: &xml) }
        case .integer(let value): append(number: String(value), style, to: &xml)
        case .real(let value): append(number: value.description, style, to: &xml)
        case .instant(let seconds): append(number: SerialDate.instant(seconds).description, .instant, to: &xml)
        case .day(let days): append(number: String(SerialDate.day(days)), .day, to: &xml)
        }
    }

    private static func append(number: String, _ style: XMLPart.Style, to xml: inout [UInt8]) {
        append(style, to: &xml)
        xml.append("><v>")
        xml += number.utf8
        xml.append("</v></c>")
    }

    private static func append(_ text: UnsafeBufferPointer<UInt8>, _ style: XMLPart.Style, to xml: inout [UInt8]) {
        append(style, to: &xml)
        xml.append(" t=\"inlineStr\"><is><t")
        // Without this attribute, spreadsheets remove white space at both ends.
        if let first = text.first, let last = text.last, first <= 0x20 || last <= 0x20 {
            xml.append(" xml:space=\"preserve\"")
        }
        xml.append(">")
        xml.appendCellText(text)
        xml.append("</t></is></c>")
    }

    /// Ends the reference, and appends the style if it is not the default.
    private static func append(_ style: XMLPart.Style, to xml: inout [UInt8]) {
        xml.append("\"")
        if style != .plain { xml += " s=\"\(style.rawValue)\"".utf8 }
    }

    private static func style(of text: UnsafeBufferPointer<UInt8>) -> XMLPart.Style {
        switch text.first {
        case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), UInt8(ascii: "'"), 0x09, 0x0D:
            .quoted
        default: .plain
        }
    }
}

extension SheetCell {
    fileprivate var isEmpty: Bool {
        switch self {
        case .empty: true
        case .real(let value): !value.isFinite
        case .text, .integer, .instant, .day: false
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ text: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}
