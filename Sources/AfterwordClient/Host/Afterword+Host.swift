import Contract

extension Afterword {
    /// The service as a signed-in host or admin. The service checks what the account may do.
    public struct Host: Sendable, Caller {
        let connection: Connection
        var credential: Credential { .bearer(token) }

        /// Store this token in the platform's secret store.
        @Confidential public private(set) var token: String
        /// The response to the sign-in. Nil if this client was created from a token.
        public let session: Session?

        public var service: Afterword { Afterword(connection) }
    }

    fileprivate init(_ connection: Connection) {
        self.init(url: connection.url, transport: connection.transport, retries: connection.retries)
    }
}

extension Afterword.Host: CustomStringConvertible {
    /// Leaves out the token, to keep it out of logs.
    public var description: String { "\(session?.account.email ?? "a host") at \(connection.url)" }
}
