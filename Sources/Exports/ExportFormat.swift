/// How an exported table is written.
public enum ExportFormat: String, Sendable, CaseIterable {
    case csv
    case ndjson

    public var mediaType: String {
        switch self {
        case .csv: "text/csv; charset=utf-8; header=present"
        case .ndjson: "application/x-ndjson"
        }
    }
}
