import Spreadsheets

/// The notation of the cells in a row, which are appended in the order of their columns.
protocol RowSyntax {
    /// The bytes of a value, which are the same in each row and column.
    func value(_ cell: Cell) -> [UInt8]

    func append(value: [UInt8], column: Int, to bytes: inout [UInt8])

    /// Appends an integer that is written as in JSON.
    func append(digits: UnsafeBufferPointer<UInt8>, column: Int, to bytes: inout [UInt8])

    /// Appends the contents of a JSON string as PostgreSQL writes it. Returns false if it can only be written as a
    /// cell, because of an unknown escape or its length.
    func append(
        jsonContents text: UnsafeBufferPointer<UInt8>, hasEscapes: Bool, column: Int, to bytes: inout [UInt8]
    ) -> Bool
}

extension RowXML: RowSyntax {
    func value(_ cell: Cell) -> [UInt8] { Self.value(SheetCell(cell)) }

    func append(digits: UnsafeBufferPointer<UInt8>, column: Int, to bytes: inout [UInt8]) {
        // A spreadsheet would round a number of more than 15 digits.
        if digits.count <= (digits.first == UInt8(ascii: "-") ? 16 : 15) {
            append(number: digits, column: column, to: &bytes)
        } else {
            append(text: digits, column: column, to: &bytes)
        }
    }

    func append(
        jsonContents text: UnsafeBufferPointer<UInt8>, hasEscapes: Bool, column: Int, to bytes: inout [UInt8]
    ) -> Bool {
        // A text never has more UTF-16 units than bytes. A text that might be too long is written as a cell, which is
        // cut if necessary, with a note.
        guard text.count <= maxCharacters else { return false }
        guard hasEscapes else {
            append(text: text, column: column, to: &bytes)
            return true
        }
        var decoded: [UInt8] = []
        guard decoded.append(unescaping: text, quote: "\"") else { return false }
        decoded.withUnsafeBufferPointer { append(text: $0, column: column, to: &bytes) }
        return true
    }
}
