/// One record of a CSV file as bytes known to be UTF-8; a field becomes a string when it is asked for.
public struct CSVRow: Sendable {
    /// The physical line on which the row begins, from 1.
    public let line: Int
    private let bytes: [UInt8]
    private let ends: [Int]

    init(line: Int, bytes: [UInt8], ends: [Int]) {
        self.line = line
        self.bytes = bytes
        self.ends = ends
    }

    public var count: Int { ends.count }

    public subscript(index: Int) -> String {
        String(decoding: bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]], as: UTF8.self)
    }

    public var fields: [String] { (0..<count).map { self[$0] } }
}
