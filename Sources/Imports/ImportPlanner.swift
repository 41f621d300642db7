import CSV
import Domain
import StrictJSON

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads a file once, in chunks, and decides what it becomes.
public struct ImportPlanner: Sendable {
    private let map: ImportMap
    private let hostId: UUID
    private var reader: CSVReader
    private var rows: MappedRows

    public init(map: ImportMap, hostId: UUID, delimiter: UInt8 = UInt8(ascii: ",")) {
        self.map = map
        self.hostId = hostId
        reader = CSVReader(delimiter: delimiter)
        rows = MappedRows(map)
    }

    public mutating func read(_ chunk: some Sequence<UInt8>) throws(ImportFailure) {
        try feed { reader, event throws(CSVFault) in try reader.read(chunk, event) }
    }

    /// Ends the file and makes the plan.
    public mutating func finish() throws(ImportFailure) -> ImportPlan {
        try feed { reader, event throws(CSVFault) in try reader.finish(event) }
        rows.close()
        let (questions, options) = try OptionPlan(map, rows.columns).questions()
        let columns = rows.columns.columns
        let readers = zip(map.questions, rows.columns.questions).enumerated().map { index, pair in
            AnswerReader(pair.0, pair.1, columns, options: options[index])
        }
        let table = PlannedTable(
            columns: columns, lines: rows.lines, readers: readers,
            submittedAt: rows.columns.submittedAt.map { MeetingTimes.TimeColumn($0, columns) },
            ordinals: rows.ordinals())
        var grouping = MeetingPlan(map: map, hostId: hostId, columns: rows.columns, table: table)
        let series = try grouping.series()
        let refused = (rows.refused + grouping.refused).sorted { $0.line < $1.line }
        return ImportPlan(
            questions: questions, derived: Set(map.questions.filter(\.derivesOptions).map(\.key)), series: series,
            rowCount: grouping.rowCount, refused: refused, table: table)
    }

    /// Lets the reader report into the rows; both leave `self` meanwhile, since they are its parts.
    private mutating func feed(
        _ act: (inout CSVReader, (CSVReader.Event) -> Void) throws(CSVFault) -> Void
    ) throws(ImportFailure) {
        var rows = MappedRows(map)
        swap(&rows, &self.rows)
        defer { swap(&rows, &self.rows) }
        do {
            try act(&reader) { rows.take($0) }
        } catch {
            throw .file(error)
        }
        guard rows.bindingFaults.isEmpty else { throw .map(rows.bindingFaults) }
    }
}
