import CSV
import StrictJSON

/// The header and the first rows of a file, read with a delimiter and an encoding that may have been guessed.
public struct CSVSample: Sendable {
    /// The number of rows from which the kinds of the columns are derived.
    public static let maxRows = 1_000
    /// The delimiters that are tried, the most frequent first.
    public static let delimiters: [UInt8] = [",", ";", "\t", "|"].map { UInt8(ascii: $0) }

    public let delimiter: UInt8
    public let encoding: TextEncoding
    public let header: [String]
    /// At most `maxRows` rows.
    public private(set) var rows: [[String]] = []
    /// The number of all rows that could be read, and of the broken ones.
    public private(set) var rowCount = 0
    public private(set) var faultCount = 0
    /// The first broken row.
    public private(set) var firstFault: FileFault?

    /// Throws if the file has no usable header.
    ///
    /// - Parameters:
    ///   - delimiter: Nil to guess it from the header.
    ///   - encoding: Nil to guess it from the bytes.
    public init(
        _ bytes: [UInt8], delimiter: UInt8? = nil, encoding: TextEncoding? = nil
    ) throws(ImportFailure) {
        let encoding = encoding ?? Self.encoding(of: bytes)
        let text = Self.decoded(bytes, encoding)
        let delimiter = delimiter ?? Self.delimiter(of: text)
        (self.delimiter, self.encoding) = (delimiter, encoding)
        var (names, rows, rowCount, faults) = ([String](), [[String]](), 0, 0)
        var first: CSVFault?
        func take(_ event: CSVReader.Event) {
            switch event {
            case .header(let header): names = header
            case .row(let row):
                rowCount += 1
                if rows.count < Self.maxRows { rows.append(row.fields) }
            case .fault(let fault):
                faults += 1
                first = first ?? fault
            }
        }
        var reader = CSVReader(delimiter: delimiter)
        do throws(CSVFault) {
            try reader.read(text, take)
            try reader.finish(take)
        } catch {
            throw .file(error)
        }
        header = names
        (self.rows, self.rowCount, faultCount) = (rows, rowCount, faults)
        firstFault = first.map { FileFault($0) }
    }

    /// The values of a column that are not empty.
    func values(_ column: Int) -> [String] {
        rows.compactMap { $0[column].isEmpty ? nil : $0[column] }
    }

    /// The delimiter that splits a header of one column, if there is one.
    public var betterDelimiter: UInt8? {
        guard header.count == 1, let name = header.first else { return nil }
        return Self.delimiters.first { $0 != delimiter && name.utf8.contains($0) }
    }

    /// The encoding by a byte order mark, by NULs, or by the frequencies of bytes that are not UTF-8.
    public static func encoding(of bytes: [UInt8]) -> TextEncoding {
        let beginning = Array(bytes.prefix(1 << 16))
        let isWide = beginning.starts(with: [0xFF, 0xFE]) || beginning.starts(with: [0xFE, 0xFF])
        if isWide || beginning.prefix(while: { $0 != 0x0A }).contains(0) {
            return TextEncoding.guess(beginning) ?? .utf8
        }
        if String(validating: bytes, as: UTF8.self) != nil { return .utf8 }
        // The first line with other bytes is a better sample than the beginning of a file that is mostly ASCII.
        let first = bytes.firstIndex { $0 >= 0x80 } ?? 0
        return TextEncoding.guess(Array(bytes[max(0, first - 512)...].prefix(1 << 16))) ?? .utf8
    }

    private static func decoded(_ bytes: [UInt8], _ encoding: TextEncoding) -> [UInt8] {
        guard let decoder = encoding.decoder() else { return bytes }
        return decoder.decode(bytes, isLast: true)
    }

    /// The delimiter that is most frequent in the first record, outside quotes.
    static func delimiter(of text: [UInt8]) -> UInt8 {
        var counts = [UInt8: Int]()
        var isQuoted = false
        for byte in text.prefix(1 << 18) {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if isQuoted { continue }
            if byte == 0x0A { break }
            if delimiters.contains(byte) { counts[byte, default: 0] += 1 }
        }
        var best = delimiters[0]
        for delimiter in delimiters where counts[delimiter, default: 0] > counts[best, default: 0] { best = delimiter }
        return best
    }
}
