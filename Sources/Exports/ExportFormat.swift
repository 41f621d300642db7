/// The file format of an export.
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

    /// Whether the format is readable in a terminal.
    public var isText: Bool { self != .xlsx }
}

/// The kind of an exported table. The raw value is the name in routes and on the command line.
public enum ExportKind: String, Sendable, CaseIterable {
    case summary
    case questions
    case meetings
    case submissions
    case answers
    case attendance
}
