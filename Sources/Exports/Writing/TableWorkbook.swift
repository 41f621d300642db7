import Domain
import Foundation
import Spreadsheets
import Store
import StrictJSON

/// A table as an XLSX workbook. The sheet is named after the table; a summary also has charts. Columns with ids are
/// included for programs, but hidden.
struct TableWorkbook {
    private let workbook: WorkbookWriter
    private let archive = WorkbookArchive()
    /// The bytes of the rows that are being compressed.
    private var compressing: Task<[UInt8], Never>?
    private let charts: SummaryCharts?
    /// The number of rows written, without headings.
    private(set) var rows = 0

    init(
        _ kind: ExportKind, of scope: ExportScope, columns: [Column], titles: Bool,
        limits: SheetLimits = SheetLimits()
    ) {
        workbook = WorkbookWriter(limits: limits, opensOnCharts: kind == .summary)
        charts = kind == .summary ? SummaryCharts(scope) : nil
        let sheetColumns = columns.map { column in
            let heading = titles ? column.title : column.name
            return SheetColumn(
                heading, width: Self.width(column, heading), isHidden: column.kind == .identifier)
        }
        workbook.begin(kind.rawValue, sheetColumns)
    }

    mutating func add(_ cells: [[Cell]], grids: [[QuestionResult]] = []) {
        rows += cells.count
        guard let charts else { return write(cells[...]) }
        let statements = Set(grids.flatMap(\.self).map(\.key))
        for question in charts.questions(in: cells) {
            let position = workbook.position(forRows: question.count)
            let (key, rows) = (charts.key(of: cells[question]), cells[question])
            if let grid = grids.first(where: { $0.first?.key == key }), let chart = charts.chart(of: grid, rows) {
                workbook.add(chart)
            }
            if !statements.contains(key),
                let chart = charts.chart(of: rows, sheet: position.sheet, row: position.row)
            {
                workbook.add(chart)
            }
            write(cells[question])
        }
    }

    /// Adds a row for each record: encoded from its bytes if possible, otherwise as cells.
    mutating func add(
        _ records: SubmissionRecords, as encoder: inout SubmissionEncoder, cells: (SubmissionRecord) throws -> [Cell]
    ) throws {
        try records.forEach { record in
            let isEncoded = try workbook.row { try encoder.append(record, in: $0, to: &$1) }
            if isEncoded { rows += 1 } else { add([try cells(record)]) }
        }
    }

    /// Starts to compress the rows added since the last compression, if there are enough. Returns the bytes of the last
    /// compression.
    mutating func compress(isolation: isolated (any Actor)? = #isolation) async -> [UInt8] {
        guard workbook.pendingBytes >= Export.chunk else { return [] }
        let bytes = await compressing?.value ?? []
        compressing = Task(executorPreference: ExportThreads.shared) { [archive, steps = workbook.drain()] in
            await archive.write(steps)
        }
        return bytes
    }

    /// Returns the rest of the file.
    mutating func finish(isolation: isolated (any Actor)? = #isolation) async -> [UInt8] {
        workbook.finish()
        let bytes = await compressing?.value ?? []
        return bytes + (await archive.write(workbook.drain()))
    }

    private func write(_ rows: ArraySlice<[Cell]>) {
        for row in rows { workbook.row(row.map(SheetCell.init)) }
    }

    /// The width in characters: that of typical values, or of the heading with the filter's arrow.
    private static func width(_ column: Column, _ heading: String) -> Int {
        let usual =
            switch column.kind {
            case .text: 24
            case .identifier: 14
            case .integer, .flag: 9
            case .real: 12
            case .date: 12
            case .instant: 20
            }
        return max(usual, min(heading.count + 4, 40))
    }
}

extension SheetCell {
    /// Writes integers that a spreadsheet would round, and dates outside its range, as text.
    init(_ cell: Cell) {
        switch cell {
        case .empty: self = .empty
        case .text(let text): self = .text(text)
        case .integer(let value):
            self = value.magnitude < 1_000_000_000_000_000 ? .integer(value) : .text(String(value))
        case .real(let value): self = .real(value)
        case .flag(let value): self = .integer(value ? 1 : 0)
        case .instant(let date):
            // Fractions of a second are cut off, as in the other formats.
            let seconds = date.timeIntervalSince1970.rounded(.down)
            let isInRange =
                seconds >= Double(SerialDate.seconds.lowerBound) && seconds <= Double(SerialDate.seconds.upperBound)
            self = isInRange ? .instant(Int(seconds)) : .text(RFC3339.format(date))
        case .day(let text):
            let seconds = RFC3339.parse(text + "T00:00:00Z").map { Int($0.timeIntervalSince1970) }
            let days = seconds.map { $0 / 86_400 }
            self = days.flatMap { SerialDate.days.contains($0) ? .day($0) : nil } ?? .text(text)
        }
    }
}
