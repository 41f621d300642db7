import Contract

/// A client for one Afterword service, for apps and scripts.
///
/// ```swift
/// let afterword = Afterword(url: "https://feedback.example.org")
/// let host = try await afterword.signIn(email: "ada@example.org", password: password)
/// let form = try await afterword.form(code)
/// ```
public struct Afterword: Sendable, Caller {
    let connection: Connection
    var credential: Credential { .none }

    /// The base URL of all requests, without a trailing slash.
    public var url: String { connection.url }

    public init(
        url: String, transport: any Transport = StandardTransport.make(), retries: RetryPolicy = .standard
    ) {
        connection = Connection(
            url: url.hasSuffix("/") ? String(url.dropLast()) : url, transport: transport, retries: retries)
    }

    /// Returns a client for a host or an admin with an existing token: a stored session's token or an API token.
    public func host(token: String) -> Host {
        Host(connection: connection, token: token, session: nil)
    }
}
