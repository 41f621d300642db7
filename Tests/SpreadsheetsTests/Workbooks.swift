import Spreadsheets
import Testing

@Suite struct Workbooks {
    @Test func theLibraryIsThere() { #expect(Spreadsheets.version.isEmpty == false) }
}
