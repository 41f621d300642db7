import CSV
import StrictJSON

/// A row that was not imported, and why.
public struct RefusedRow: Sendable, Equatable, Error {
    /// The physical line on which the row begins, from 1.
    public var line: Int
    /// The column's heading; empty when the whole row is meant.
    public var column: String
    /// A stable kebab-case word.
    public var code: String
    /// One plain sentence.
    public var reason: String

    public init(line: Int, column: String, code: String, reason: String) {
        self.line = line
        self.column = column
        self.code = code
        self.reason = reason
    }
}

/// Why nothing of a file can be imported.
public enum ImportFailure: Error, Sendable, Equatable {
    /// The file's header cannot be read.
    case file(CSVFault)
    /// More rows are broken than a few: the file is not in the encoding that was named.
    case encoding(TextEncoding, likely: TextEncoding?)
    /// The map does not fit the file; each fault points into the map.
    case map([Fault])

    /// One sentence for each thing to mend.
    public var sentences: [String] {
        switch self {
        case .file(let fault): ["Line \(fault.line): \(fault.reason)"]
        case .encoding(let named, let likely?):
            ["is not \(Self.name(named)); it looks like \(likely.name): add --encoding \(likely.name)."]
        case .encoding(let named, nil): ["is not \(Self.name(named)): add --encoding with the right name."]
        case .map(let faults): faults.map { "\($0.pointer): \($0.detail)" }
        }
    }

    private static func name(_ encoding: TextEncoding) -> String {
        encoding == .utf8 ? "UTF-8" : encoding.name
    }
}
