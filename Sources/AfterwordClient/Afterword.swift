import Contract

/// A service that answers at one address, as an app or a script calls it.
///
/// ```swift
/// let afterword = Afterword(url: "https://feedback.example.org")
/// let host = try await afterword.signIn(email: "ada@example.org", password: password)
/// let form = try await afterword.form(code)
/// ```
public struct Afterword: Sendable, Caller {
    let connection: Connection
    var credential: Credential { .none }

    /// What every path is appended to, without a slash at its end.
    public var url: String { connection.url }

    public init(
        url: String, transport: any Transport = StandardTransport.make(), retries: RetryPolicy = .standard
    ) {
        connection = Connection(
            url: url.hasSuffix("/") ? String(url.dropLast()) : url, transport: transport, retries: retries)
    }

    /// A host or an admin with a token that was made before: a session's that was kept, or an API token.
    public func host(token: String) -> Host {
        Host(connection: connection, token: token, session: nil)
    }
}
