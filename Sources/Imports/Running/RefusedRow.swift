import CSV
import StrictJSON

/// A row that was not imported, with the reason.
public struct RefusedRow: Sendable, Equatable, Error {
    /// The physical line on which the row begins, from 1.
    public var line: Int
    /// The column's heading. Empty if the fault concerns the whole row.
    public var column: String
    /// A stable code in kebab case.
    public var code: String
    /// One sentence.
    public var reason: String
}

/// A row or a header that can't be read.
public struct FileFault: Sendable, Equatable {
    /// All values of `code`.
    public static let codes = CSVFault.Code.allCases.map(\.rawValue)

    /// The physical line on which the row begins, from 1.
    public let line: Int
    /// A stable code in kebab case.
    public let code: String
    /// One sentence in English.
    public let reason: String
    /// The heading that two columns have; empty for other faults.
    public let name: String

    public init(_ fault: CSVFault) {
        (line, code, reason, name) = (fault.line, fault.code.rawValue, fault.reason, fault.name)
    }
}

/// Why a file can't be imported at all.
public enum ImportFailure: Error, Sendable, Equatable {
    /// The file's header is invalid.
    case file(CSVFault)
    /// Too many rows are undecodable, so the file is not in the given encoding.
    case encoding(TextEncoding, likely: TextEncoding?)
    /// The map does not fit the file. Each fault points into the map.
    case map([Fault])

    /// One sentence for each fault.
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
