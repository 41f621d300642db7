/// Sends requests to a service. Tests can replace it.
///
/// A transport follows no redirects, stores no cookies and retries nothing. The client decides about retries.
public protocol Transport: Sendable {
    /// Returns when the head of the response has arrived. The body is streamed.
    ///
    /// Throws if no response arrives or the task is cancelled, and ``RequestNotSent`` if the request certainly was not
    /// sent.
    func send(_ request: TransportRequest) async throws -> TransportResponse
}

/// The connection failed, so the service has not seen the request.
public struct RequestNotSent: Error {
    public var reason: any Error

    public init(_ reason: any Error) {
        self.reason = reason
    }
}

public struct TransportRequest: Sendable, Equatable {
    public var method: String
    public var url: String
    public var headers: [String: String]
    public var body: [UInt8]?
    /// The head of the response must arrive within this time.
    public var timeout: Duration
    /// Whether the response is endless, as an event stream is. Such a request should not occupy a connection that other
    /// requests wait for.
    public var isLongLived: Bool

    public init(
        method: String, url: String, headers: [String: String] = [:], body: [UInt8]? = nil,
        timeout: Duration = .seconds(30), isLongLived: Bool = false
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
        self.isLongLived = isLongLived
    }
}

public struct TransportResponse: Sendable {
    public var status: Int
    /// Names are in lower case.
    public var headers: [String: String]
    public var body: ByteChunks
    /// Returns the trailers after the body was read to its end, with names in lower case. Nil if the transport does not
    /// support trailers.
    public var trailers: @Sendable () -> [String: String]?

    public init(
        status: Int, headers: [String: String] = [:], body: ByteChunks,
        trailers: @escaping @Sendable () -> [String: String]? = { nil }
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.trailers = trailers
    }

    /// Creates a response whose body is in memory.
    public init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
        self.init(status: status, headers: headers, body: ByteChunks([body]))
    }
}

/// The default transport of a client.
public enum StandardTransport {
    #if os(Linux)
        public static func make() -> any Transport { CurlTransport() }
    #elseif canImport(Darwin)
        public static func make() -> any Transport { URLSessionTransport() }
    #endif
}
