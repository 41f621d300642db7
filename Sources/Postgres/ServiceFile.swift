import CLibPQ

/// A connection's parameters in the format of libpq's service file.
///
/// With such a file, PostgreSQL's own programs connect as this process does. Their command line shows no password, which
/// it would if it contained the URL.
public struct ServiceFile: Sendable {
    /// The value of `PGSERVICE`.
    public static let name = "afterword"

    /// The content of the file.
    public let text: String

    /// Throws if the URL is invalid, or has a value that such a file cannot contain.
    public init(url: String) throws(PostgresError) {
        var message: UnsafeMutablePointer<CChar>?
        let options = PQconninfoParse(url, &message)
        defer {
            PQconninfoFree(options)
            PQfreemem(message)
        }
        guard var option = options else {
            // The message may quote a part of the URL, and so of a password.
            throw PostgresError(.configuration, "the database URL is invalid")
        }
        var lines = ["[\(Self.name)]"]
        while let keyword = option.pointee.keyword {
            defer { option += 1 }
            guard let value = option.pointee.val else { continue }
            let text = String(cString: value)
            guard !text.contains(where: \.isNewline), text.last?.isWhitespace != true else {
                throw PostgresError(
                    .configuration,
                    "the \(String(cString: keyword)) of the database URL ends with a space or has a line break")
            }
            lines.append("\(String(cString: keyword))=\(text)")
        }
        text = lines.joined(separator: "\n") + "\n"
    }
}
