/// Which table is exported; the raw value is its word in a route and on the command line.
public enum ExportKind: String, Sendable, CaseIterable {
    case summary
    case questions
    case meetings
    case submissions
    case answers
    case attendance
}
