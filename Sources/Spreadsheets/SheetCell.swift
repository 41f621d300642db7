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
