import Contract

extension Afterword {
    /// The service in the hands of somebody who is signed in, host or admin; what they may do is the service's to judge.
    public struct Host: Sendable, Caller {
        let connection: Connection
        var credential: Credential { .bearer(token) }

        /// To be kept where the platform keeps secrets.
        @Confidential public private(set) var token: String
        /// What signing in told; nil of a host made from a token.
        public let session: Session?

        public var service: Afterword { Afterword(connection) }
    }

    fileprivate init(_ connection: Connection) {
        self.init(url: connection.url, transport: connection.transport, retries: connection.retries)
    }
}

extension Afterword.Host: CustomStringConvertible {
    /// Without the token, so that no log has it.
    public var description: String { "\(session?.account.email ?? "a host") at \(connection.url)" }
}
