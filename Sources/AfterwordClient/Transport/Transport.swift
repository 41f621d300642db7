/// What carries requests to a service and answers back; a test puts one of its own in its place.
///
/// It follows no redirect, keeps no cookie and repeats nothing: what is repeated, and when, is decided above it.
public protocol Transport: Sendable {
    /// Returns once the head of the answer is there; the body arrives as it is read.
    ///
    /// It throws whatever kept an answer from coming, a cancelled task included; ``RequestNotSent`` where it is certain
    /// that nothing left.
    func send(_ request: TransportRequest) async throws -> TransportResponse
}

/// There was no connection: the service has certainly not seen the request.
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
    /// For the head of the answer.
    public var timeout: Duration
    /// The answer has no end of its own: it should hold no place that other requests wait for.
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
    /// Names in lower case.
    public var headers: [String: String]
    public var body: ByteChunks
    /// What followed the body, names in lower case, once it was read to its end; nil if the transport cannot tell.
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

    /// An answer that is there already.
    public init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
        self.init(status: status, headers: headers, body: ByteChunks([body]))
    }
}

/// The transport that a client uses unless it is given another.
public enum StandardTransport {
    #if os(Linux)
        public static func make() -> any Transport { CurlTransport() }
    #elseif canImport(Darwin)
        public static func make() -> any Transport { URLSessionTransport() }
    #endif
}
