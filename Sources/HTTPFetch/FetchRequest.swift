/// An HTTP/1.1 request. No redirect is followed, no proxy of the environment is used, and nothing is repeated.
public struct FetchRequest: Sendable {
    public var method: String
    /// An absolute `http` or `https` URL.
    public var url: String
    public var headers: [(name: String, value: String)]
    public var body: [UInt8]?
    /// The numeric address to connect to instead of resolving the URL's host. Host header and TLS name stay the URL's.
    public var address: String?
    /// Closes the connection after the response.
    public var closesConnection = false
    public var connectTimeout: Duration = .seconds(10)
    /// The limit until the head of the response has arrived; nil for none.
    public var headTimeout: Duration?
    /// The limit for the whole exchange; nil for none.
    public var totalTimeout: Duration?
    /// The exchange fails when nothing arrives for this long; whole seconds, nil for no limit.
    public var idleTimeout: Duration?

    public init(
        method: String = "GET", url: String, headers: [(name: String, value: String)] = [], body: [UInt8]? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }

    /// A line break in a name or value would begin another header.
    var isValid: Bool {
        let texts = [method, url] + headers.flatMap { [$0.name, $0.value] }
        return texts.allSatisfy { !$0.utf8.contains { $0 == 0 || $0 == 10 || $0 == 13 } }
            && headers.allSatisfy { !$0.name.isEmpty && !$0.name.contains(":") }
    }
}

/// A response whose body is still arriving.
public struct FetchResponse: Sendable {
    public let status: Int
    /// In the order in which they arrived.
    public let headers: [(name: String, value: String)]
    public let body: FetchBody
    /// The fields after the body, complete once the body has been read to its end.
    public let trailers: @Sendable () -> [(name: String, value: String)]
}

/// Why an exchange failed. A cancelled task gets a `CancellationError` instead.
public struct FetchError: Error, Sendable, CustomStringConvertible {
    public enum Kind: Sendable {
        case timeout
        /// The other side closed the connection early.
        case closed
        case invalidResponse
        case invalidRequest
        /// No connection was established, or it failed.
        case unreachable
    }

    public var kind: Kind
    /// Whether anything of the request was sent, so that the server may have acted on it.
    public var isSent: Bool
    public var description: String
}
