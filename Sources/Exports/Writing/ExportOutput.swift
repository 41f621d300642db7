import Cryptography
import Domain
import Spreadsheets
import Store

/// The output buffer of an export, which also computes the export's totals.
struct ExportOutput {
    private enum Table {
        case lines(TableWriter)
        case sheets(TableWorkbook)
    }

    private var table: Table
    private var buffer: [UInt8] = []
    private var hash = SHA256()
    private var writtenBytes = 0

    init(_ kind: ExportKind, of scope: ExportScope, columns: [Column], options: ExportOptions) {
        buffer.reserveCapacity(Export.chunk * 2)
        guard options.format != .xlsx else {
            table = .sheets(TableWorkbook(kind, of: scope, columns: columns, titles: options.titles))
            return
        }
        var writer = TableWriter(columns: columns, options: options)
        writer.writeHeader(into: &buffer)
        table = .lines(writer)
    }

    /// The totals of all rows, and of the bytes flushed so far.
    var totals: Export.Totals {
        let rows =
            switch table {
            case .lines(let writer): writer.rows
            case .sheets(let workbook): workbook.rows
            }
        return Export.Totals(rows: rows, digest: hash.finish(), bytes: writtenBytes)
    }

    /// - Parameter grids: The statements of each grid, which share a chart.
    mutating func append(_ rows: [[Cell]], grids: [[QuestionResult]] = []) {
        switch table {
        case .lines(var writer):
            for row in rows { writer.writeRow(row, into: &buffer) }
            table = .lines(writer)
        case .sheets(var workbook):
            workbook.add(rows, grids: grids)
            table = .sheets(workbook)
        }
    }

    func makeEncoder(for table: SubmissionsTable, of form: PreparedForm, at meeting: Meeting) -> SubmissionEncoder {
        switch self.table {
        case .lines(let writer): SubmissionEncoder(table, of: form, at: meeting, in: writer.syntax)
        // The values of a sheet do not depend on the columns.
        case .sheets: SubmissionEncoder(table, of: form, at: meeting, in: RowXML(columns: 0))
        }
    }

    /// Appends a row for each record: encoded from its bytes if possible, otherwise as cells.
    mutating func append(
        _ records: SubmissionRecords, as encoder: inout SubmissionEncoder, cells: (SubmissionRecord) throws -> [Cell]
    ) throws {
        switch table {
        case .lines(var writer):
            try writer.write(records, as: &encoder, into: &buffer, cells: cells)
            table = .lines(writer)
        case .sheets(var workbook):
            try workbook.add(records, as: &encoder, cells: cells)
            table = .sheets(workbook)
        }
    }

    mutating func flushIfFull(
        isolation: isolated (any Actor)? = #isolation, _ sink: ([UInt8]) async throws -> Void
    ) async throws {
        if case .sheets(var workbook) = table {
            buffer += await workbook.compress()
            table = .sheets(workbook)
        }
        if buffer.count >= Export.chunk { try await flush(sink) }
    }

    /// Writes the end of the file and flushes the buffer.
    mutating func finish(
        isolation: isolated (any Actor)? = #isolation, _ sink: ([UInt8]) async throws -> Void
    ) async throws {
        if case .sheets(var workbook) = table {
            buffer += await workbook.finish()
            table = .sheets(workbook)
        }
        try await flush(sink)
    }

    private mutating func flush(
        isolation: isolated (any Actor)? = #isolation, _ sink: ([UInt8]) async throws -> Void
    ) async throws {
        guard !buffer.isEmpty else { return }
        hash.update(buffer)
        writtenBytes += buffer.count
        try await sink(buffer)
        buffer.removeAll(keepingCapacity: true)
    }
}
