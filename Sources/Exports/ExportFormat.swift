/// How an exported table is written.
public enum ExportFormat: String, Sendable, CaseIterable {
    case csv
    case ndjson
    case xlsx

    public var mediaType: String {
        switch self {
        case .csv: "text/csv; charset=utf-8; header=present"
        case .ndjson: "application/x-ndjson"
        case .xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
        }
    }

    /// Whether a person can read it in a terminal.
    public var isText: Bool { self != .xlsx }
}

/// Which table is exported; the raw value is its word in a route and on the command line.
public enum ExportKind: String, Sendable, CaseIterable {
    case summary
    case questions
    case meetings
    case submissions
    case answers
    case attendance
}
