import Foundation
import Spreadsheets
import StrictJSON
import Testing

@testable import Exports

/// Conversion of table cells to spreadsheet cells.
@Suite struct SheetCells {
    @Test(arguments: [
        (Cell.empty, SheetCell.empty), (.text("-5"), .text("-5")), (.integer(-5), .integer(-5)),
        (.real(0.5), .real(0.5)),
        (.flag(true), .integer(1)), (.flag(false), .integer(0)), (.day("2026-11-21"), .day(20_778)),
        (.instant(Date(timeIntervalSince1970: 1.9)), .instant(1)),
        (.instant(Date(timeIntervalSince1970: -0.1)), .instant(-1)),
    ])
    func cellsHaveTheTypeOfTheirValue(cell: Cell, expected: SheetCell) {
        #expect(SheetCell(cell) == expected)
    }

    /// A spreadsheet has a 29 February 1900 and no day after the year 9999.
    @Test(arguments: [
        ("1900-02-28", false), ("1900-03-01", true), ("1969-12-31", true), ("9999-12-31", true), ("0001-01-01", false),
        ("no day", false),
    ])
    func daysOutsideTheSheetsRangeAreTexts(day: String, isInRange: Bool) throws {
        #expect((SheetCell(.day(day)) == .text(day)) == !isInRange)
        guard let start = RFC3339.parse(day + "T00:00:00Z") else { return }
        #expect((SheetCell(.instant(start)) == .text(day + "T00:00:00Z")) == !isInRange)
        if isInRange {
            let seconds = Int(start.timeIntervalSince1970)
            #expect(SheetCell(.day(day)) == .day(seconds / 86_400))
            #expect(SheetCell(.instant(start.addingTimeInterval(86_399))) == .instant(seconds + 86_399))
        }
    }

    /// A spreadsheet stores 15 digits.
    @Test func numbersThatASheetWouldRoundAreTexts() {
        #expect(SheetCell(.integer(999_999_999_999_999)) == .integer(999_999_999_999_999))
        #expect(SheetCell(.integer(1_000_000_000_000_000)) == .text("1000000000000000"))
        #expect(SheetCell(.integer(.min)) == .text("-9223372036854775808"))
    }
}
