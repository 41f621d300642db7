/// One value of a sheet, of the type that the reader will see.
public enum SheetCell: Sendable, Equatable {
    case empty
    /// Always a text: never run as a formula, never made a link or a number.
    case text(String)
    case integer(Int)
    /// A value that is not finite is left empty.
    case real(Double)
    /// Seconds since 1970 in UTC, within `SerialDate.seconds`.
    case instant(Int)
    /// Days since 1970, within `SerialDate.days`.
    case day(Int)
}

/// A column as it is shown.
public struct SheetColumn: Sendable, Equatable {
    public var heading: String
    /// In characters.
    public var width: Int
    /// Whether a spreadsheet hides it until it is asked to show it.
    public var isHidden: Bool

    public init(_ heading: String, width: Int, isHidden: Bool = false) {
        self.heading = heading
        self.width = width
        self.isHidden = isHidden
    }
}

/// Dates as spreadsheets count them: days since 1899-12-30, hours as parts of a day.
public enum SerialDate {
    /// The number of 1970-01-01.
    static let epoch = 25_569
    /// 1900-03-01 to 9999-12-31: before, spreadsheets have a day that never was; after, they have none.
    public static let days = -25_508...2_932_896
    public static let seconds = -25_508 * 86_400...2_932_896 * 86_400 + 86_399

    static func day(_ days: Int) -> Int { days + epoch }

    static func instant(_ seconds: Int) -> Double { Double(seconds) / 86_400 + Double(epoch) }
}

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

/// How much fits; what Excel takes, unless a test says less.
public struct SheetLimits: Sendable, Equatable {
    /// Of a sheet, its heading counted.
    public var rows = 1_048_576
    public var columns = 16_384
    /// Of a cell's text, in UTF-16 code units.
    public var characters = 32_767
    /// After so many bytes of a sheet's XML the next row begins another: archives of larger entries are read by few.
    public var bytes: UInt64 = 3_900_000_000
    public var charts = 100
    /// Lines of the sheet of notes; the rest is counted.
    public var notes = 10_000

    public init() {}
}
