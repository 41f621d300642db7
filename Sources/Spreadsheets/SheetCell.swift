/// One value of a sheet, with the type that the spreadsheet shows.
public enum SheetCell: Sendable, Equatable {
    case empty
    /// Always text: never a formula, a link or a number.
    case text(String)
    case integer(Int)
    /// Empty if not finite.
    case real(Double)
    /// Seconds since 1970 in UTC, within `SerialDate.seconds`.
    case instant(Int)
    /// Days since 1970, within `SerialDate.days`.
    case day(Int)
}

/// The appearance of a column.
public struct SheetColumn: Sendable, Equatable {
    public var heading: String
    /// In characters.
    public var width: Int
    /// Whether the column is hidden initially.
    public var isHidden: Bool

    public init(_ heading: String, width: Int, isHidden: Bool = false) {
        self.heading = heading
        self.width = width
        self.isHidden = isHidden
    }
}

/// Serial dates of spreadsheets: days since 1899-12-30, with fractions for the time.
public enum SerialDate {
    /// The serial number of 1970-01-01.
    static let epoch = 25_569
    /// 1900-03-01 to 9999-12-31. Spreadsheets count a 29 February 1900 that never existed, and end in 9999.
    public static let days = -25_508...2_932_896
    public static let seconds = -25_508 * 86_400...2_932_896 * 86_400 + 86_399

    static func day(_ days: Int) -> Int { days + epoch }

    static func instant(_ seconds: Int) -> Double { Double(seconds) / 86_400 + Double(epoch) }
}

/// Cell references. Columns count from 0, rows from 1.
public enum CellReference {
    /// `A` … `Z`, `AA` … `XFD`.
    static func letters(_ column: Int) -> String {
        var letters = ""
        var remaining = column + 1
        while remaining > 0 {
            let digit = (remaining - 1) % 26
            letters = String(UnicodeScalar(UInt8(ascii: "A") + UInt8(digit))) + letters
            remaining = (remaining - 1) / 26
        }
        return letters
    }

    /// `G2`
    public static func name(column: Int, row: Int) -> String { "\(letters(column))\(row)" }

    /// A range in one column for use in formulas: `'summary 2'!$P$2:$P$6`.
    static func range(sheet: String, column: Int, rows: ClosedRange<Int>) -> String {
        let letters = letters(column)
        return "\(quoted(sheet))!$\(letters)$\(rows.lowerBound):$\(letters)$\(rows.upperBound)"
    }

    /// The range of a table with its heading: `'answers'!$A$1:$G$9`.
    static func table(sheet: String, columns: Int, rows: Int) -> String {
        "\(quoted(sheet))!$A$1:$\(letters(columns - 1))$\(rows)"
    }

    /// Quotes in a sheet's name are doubled.
    private static func quoted(_ sheet: String) -> String {
        "'\(sheet.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''"))'"
    }
}

/// The limits of a workbook. The defaults are Excel's.
public struct SheetLimits: Sendable, Equatable {
    /// Rows of a sheet, including the heading.
    public var rows = 1_048_576
    public var columns = 16_384
    /// The length of a cell's text in UTF-16 code units.
    public var characters = 32_767
    /// The size of a sheet's XML after which the next row starts another sheet, because few readers support larger
    /// archive entries.
    public var bytes: UInt64 = 3_900_000_000
    public var charts = 100
    /// Rows of the notes sheet. Further notes are only counted.
    public var notes = 10_000

    public init() {}
}
