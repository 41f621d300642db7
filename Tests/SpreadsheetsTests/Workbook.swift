import Spreadsheets
import StrictJSON
import TestSupport
import Testing

/// Creates workbooks for tests and reads their content with openpyxl.
enum Workbook {
    static func bytes(limits: SheetLimits = SheetLimits(), _ make: (WorkbookWriter) -> Void) async -> [UInt8] {
        let workbook = WorkbookWriter(limits: limits)
        make(workbook)
        workbook.finish()
        return await WorkbookArchive().write(workbook.drain())
    }

    static func columns(_ headings: String...) -> [SheetColumn] { headings.map { SheetColumn($0, width: 12) } }

    struct Sheet {
        var name: String
        var rows: [[JSONValue]]
    }

    /// The sheets with their rows of values; times become texts.
    static func sheets(_ bytes: [UInt8]) async throws -> [Sheet] { try #require(try await sheets([bytes]).first) }

    static func sheets(_ files: [[UInt8]]) async throws -> [[Sheet]] {
        let result = try await PythonReader.read(
            files,
            as: """
                import openpyxl
                books = [openpyxl.load_workbook(path) for path in paths]
                result = [[[s.title, [[c.value for c in row] for row in s.iter_rows()]] for s in book.worksheets]
                          for book in books]
                """)
        return try #require(result.array).map { book in
            try #require(book.array).map { sheet in
                let pair = try #require(sheet.array)
                return Sheet(
                    name: try #require(pair[0].string),
                    rows: try #require(pair[1].array).map { try #require($0.array) })
            }
        }
    }

    /// The text of each part of the file.
    static func parts(_ bytes: [UInt8]) async throws -> [String: String] {
        let result = try await PythonReader.read(
            bytes,
            as: """
                import zipfile
                book = zipfile.ZipFile(path)
                assert book.testzip() is None
                result = {name: book.read(name).decode() for name in book.namelist()}
                """)
        return Dictionary(uniqueKeysWithValues: try #require(result.members).map { ($0.name, $0.value.string ?? "") })
    }
}
