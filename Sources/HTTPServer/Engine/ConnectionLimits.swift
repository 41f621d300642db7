import NIOCore

/// Limits for slow clients and large bodies.
public struct ConnectionLimits: Sendable {
    /// The longest time from a request's head to the end of its body.
    public var bodyTimeout: TimeAmount = .seconds(30)
    /// The time after which a body is slow. The application checks the access of a slow body's sender again once the
    /// body has arrived.
    public var slowBody: Duration = .seconds(1)
    /// The longest time from the start of a connection to the end of its first head.
    ///
    /// A later head may take twice as long, once it has begun. While the server is at its limit of connections, it also
    /// closes those that have been idle for this long.
    public var headTimeout: TimeAmount = .seconds(10)
    /// How long a connection may be idle between two requests.
    public var idleTimeout: TimeAmount = .seconds(75)
    /// How long a client may read nothing of its response.
    public var stallTimeout: TimeAmount = .seconds(60)
    /// How long a refused client may continue sending before its connection is closed.
    public var linger: TimeAmount = .seconds(1)
    /// The size in bytes of the largest body for which a client gets `100 Continue`.
    public var largestBody = 4 * 1024 * 1024

    public init() {}
}
