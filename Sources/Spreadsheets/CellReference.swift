/// The names of cells; columns count from 0, rows from 1.
public enum CellReference {
    /// `A` … `Z`, `AA` … `XFD`.
    static func letters(_ column: Int) -> String {
        var letters = ""
        var rest = column + 1
        while rest > 0 {
            let digit = (rest - 1) % 26
            letters = String(UnicodeScalar(UInt8(ascii: "A") + UInt8(digit))) + letters
            rest = (rest - 1) / 26
        }
        return letters
    }

    /// `G2`.
    public static func name(column: Int, row: Int) -> String { "\(letters(column))\(row)" }

    /// A stretch of one column as formulas name it: `'summary 2'!$P$2:$P$6`.
    static func range(sheet: String, column: Int, rows: ClosedRange<Int>) -> String {
        let letters = letters(column)
        return "\(quoted(sheet))!$\(letters)$\(rows.lowerBound):$\(letters)$\(rows.upperBound)"
    }

    /// All cells from the heading of the first column: `'answers'!$A$1:$G$9`.
    static func table(sheet: String, columns: Int, rows: Int) -> String {
        "\(quoted(sheet))!$A$1:$\(letters(columns - 1))$\(rows)"
    }

    /// A quote in a sheet's name is doubled.
    private static func quoted(_ sheet: String) -> String {
        "'\(sheet.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''"))'"
    }
}
