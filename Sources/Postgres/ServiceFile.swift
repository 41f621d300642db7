/// A connection's parameters in the format of libpq's service file.
///
/// With such a file, PostgreSQL's own programs connect as this process does. A URL in their command lines would show
/// the password.
public struct ServiceFile: Sendable {
    /// The value of `PGSERVICE`.
    public static let name = "afterword"

    /// The content of the file.
    public let text: String

    /// Throws if the URL is invalid, or has a value that such a file cannot contain.
    public init(url: String) throws(PostgresError) {
        var lines = ["[\(Self.name)]"]
        for (keyword, value) in try ConnectionOptions(url: url).all {
            guard !value.contains(where: \.isNewline), value.last?.isWhitespace != true else {
                throw PostgresError(
                    .configuration, "the \(keyword) of the database URL ends with a space or has a line break")
            }
            lines.append("\(keyword)=\(value)")
        }
        text = lines.joined(separator: "\n") + "\n"
    }
}
