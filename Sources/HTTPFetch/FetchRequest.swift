/// An HTTP/1.1 request. The client follows no redirects, ignores the proxies in the environment, and retries nothing.
public struct FetchRequest: Sendable {
    public var method: String
    /// An absolute `http` or `https` URL.
    public var url: String
    public var headers: [(name: String, value: String)]
    public var body: [UInt8]?
    /// The numeric address to connect to, instead of resolving the URL's host. The Host header and the TLS server name
    /// are still the URL's.
    public var address: String?
    /// Closes the connection after the response.
    public var closesConnection = false
    public var connectTimeout: Duration = .seconds(10)
    /// The head of the response must arrive within this time. No limit if nil.
    public var headTimeout: Duration?
    /// The time for the whole exchange. No limit if nil.
    public var totalTimeout: Duration?
    /// The longest time without received data, in whole seconds. No limit if nil.
    public var idleTimeout: Duration?

    public init(
        method: String = "GET", url: String, headers: [(name: String, value: String)] = [], body: [UInt8]? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }

    /// Whether the request can be sent as it is. A line break in a name or value would start another header.
    var isValid: Bool {
        let texts = [method, url] + headers.flatMap { [$0.name, $0.value] }
        return texts.allSatisfy { !$0.utf8.contains { $0 == 0 || $0 == 10 || $0 == 13 } }
            && headers.allSatisfy { !$0.name.isEmpty && !$0.name.contains(":") }
    }
}

/// A response whose body has not arrived yet.
public struct FetchResponse: Sendable {
    public let status: Int
    /// In the order of arrival.
    public let headers: [(name: String, value: String)]
    public let body: FetchBody
    /// Returns the trailers, which are complete once the body has been read to its end.
    public let trailers: @Sendable () -> [(name: String, value: String)]
}

/// Why an exchange failed. A cancelled task gets `CancellationError` instead.
public struct FetchError: Error, Sendable, CustomStringConvertible {
    public enum Kind: Sendable {
        case timeout
        /// The server closed the connection early.
        case closed
        case invalidResponse
        case invalidRequest
        /// No connection could be established, or it failed.
        case unreachable
    }

    public var kind: Kind
    /// Whether any part of the request was sent, so that the server may have processed it.
    public var isSent: Bool
    public var description: String
}
