import CSV
import StrictJSON

/// Why nothing of a file can be imported.
public enum ImportFailure: Error, Sendable, Equatable {
    /// The file's header cannot be read.
    case file(CSVFault)
    /// The map does not fit the file; each fault points into the map.
    case map([Fault])

    /// One sentence for each thing to mend.
    public var sentences: [String] {
        switch self {
        case .file(let fault): ["Line \(fault.line): \(fault.reason)"]
        case .map(let faults): faults.map { "\($0.pointer): \($0.detail)" }
        }
    }
}
