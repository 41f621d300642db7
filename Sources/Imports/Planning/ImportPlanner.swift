import CSV
import Domain
import Foundation
import StrictJSON

/// Reads a file once, in chunks, and plans its import.
public struct ImportPlanner {
    private let map: ImportMap
    private let hostID: UUID
    private var reader: CSVReader
    private var rows: MappedRows
    private let encoding: TextEncoding
    private let decoder: TextDecoder?
    /// The beginning of the file until the header has been checked; then nil.
    private var head: [UInt8]? = []
    /// Bytes for detecting the encoding.
    private var sample: [UInt8] = []

    private static let maxSampleBytes = 1 << 16

    public init(
        map: ImportMap, hostID: UUID, delimiter: UInt8 = UInt8(ascii: ","), encoding: TextEncoding = .utf8
    ) {
        self.encoding = encoding
        decoder = encoding.decoder()
        self.map = map
        self.hostID = hostID
        reader = CSVReader(delimiter: delimiter)
        rows = MappedRows(map)
    }

    public mutating func read(_ chunk: some Sequence<UInt8>) throws(ImportFailure) {
        let bytes = Array(chunk)
        if sample.count < Self.maxSampleBytes, bytes.contains(where: { $0 >= 0x80 || $0 == 0 }) {
            sample += bytes.prefix(Self.maxSampleBytes)
        }
        try checkHead(bytes)
        let text = decoder?.decode(bytes) ?? bytes
        try feed { reader, event throws(CSVFault) in try reader.read(text, event) }
    }

    /// Detects UTF-16 by its byte order mark or by NULs in the header. If the file were read as UTF-8, the faults would
    /// be misleading.
    private mutating func checkHead(_ bytes: [UInt8]) throws(ImportFailure) {
        guard let earlierBytes = head, encoding == .utf8 else { return }
        let beginning = earlierBytes + bytes.prefix(Self.maxSampleBytes)
        let isMarked = beginning.starts(with: [0xFF, 0xFE]) || beginning.starts(with: [0xFE, 0xFF])
        if isMarked || beginning.prefix(while: { $0 != 0x0A }).contains(0) {
            throw .encoding(encoding, likely: TextEncoding.guess(beginning))
        }
        head = beginning.contains(0x0A) || beginning.count >= Self.maxSampleBytes ? nil : beginning
    }

    private var encodingFailure: ImportFailure { .encoding(encoding, likely: TextEncoding.guess(sample)) }

    /// Ends the file and returns the plan.
    public mutating func finish() throws(ImportFailure) -> ImportPlan {
        if let tail = decoder?.decode([], isLast: true) {
            try feed { reader, event throws(CSVFault) in try reader.read(tail, event) }
        }
        try feed { reader, event throws(CSVFault) in try reader.finish(event) }
        // If more than one row in 20 can't be decoded, the encoding is probably wrong.
        guard rows.undecodable * 20 <= rows.lines.count + rows.refused.count else { throw encodingFailure }
        rows.close()
        let (questions, options, unusable) = try OptionPlan(map: map, mapped: rows.columns).questions()
        let mapped = rows.columns
        let columns = mapped.columns
        let readers = zip(map.questions, rows.columns.questions).enumerated().map { index, pair in
            AnswerReader(pair.0, pair.1, columns, options: options[index], unusable: unusable[index])
        }
        let table = PlannedTable(
            columns: columns, lines: rows.lines, readers: readers,
            submittedAt: rows.columns.submittedAt.map { MeetingTimes.TimeColumn($0, columns, map.times) },
            ordinals: rows.ordinals())
        var grouping = MeetingPlan(map: map, hostID: hostID, columns: rows.columns, table: table)
        let series = try grouping.series()
        let refused = (rows.refused + grouping.refused).sorted { $0.line < $1.line }
        return ImportPlan(
            questions: questions, derived: Set(map.questions.filter(\.derivesOptions).map(\.key)), series: series,
            rowCount: grouping.rowCount, refused: refused, table: table,
            sources: zip(map.questions, rows.columns.questions).map { SourceReader($0, $1, mapped) })
    }

    /// Passes the events of the reader to the rows. The reader is moved out of `self` in the meantime, because access to
    /// `self` is exclusive.
    private mutating func feed(
        _ operation: (inout CSVReader, (CSVReader.Event) -> Void) throws(CSVFault) -> Void
    ) throws(ImportFailure) {
        var reader = CSVReader()
        swap(&reader, &self.reader)
        defer { swap(&reader, &self.reader) }
        do {
            try operation(&reader) { rows.take($0) }
        } catch {
            if error.code == .invalidUTF8 { throw encodingFailure }
            throw .file(error)
        }
        guard rows.bindingFaults.isEmpty else { throw .map(rows.bindingFaults) }
    }
}
