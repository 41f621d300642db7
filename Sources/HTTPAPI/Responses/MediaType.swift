import HTTPServer

/// The media types that routes produce, as values of `Content-Type`.
public enum MediaType {
    public static let json = "application/json"
    public static let problem = "application/problem+json"
    public static let yaml = "application/yaml"
    public static let csv = "text/csv; charset=utf-8; header=present"
    public static let ndjson = "application/x-ndjson"
    public static let svg = "image/svg+xml; charset=utf-8"
    public static let png = "image/png"
    public static let pdf = "application/pdf"
    public static let eventStream = "text/event-stream; charset=utf-8"
    public static let metrics = "text/plain; version=0.0.4; charset=utf-8"

    /// The type and subtype of a `Content-Type`, without its parameters, in lower case.
    static func essence(_ value: some StringProtocol) -> String {
        let end = value.utf8.firstIndex(of: UInt8(ascii: ";")) ?? value.endIndex
        return value[..<end].trimmingSpaces.lowercased()
    }
}
