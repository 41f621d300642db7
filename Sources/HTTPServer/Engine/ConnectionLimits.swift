import NIOCore

/// Limits for slow and oversized clients.
public struct ConnectionLimits: Sendable {
    /// From a request's head to the end of its body.
    public var bodyTimeout: TimeAmount = .seconds(30)
    /// A body that takes longer is slow: the application checks its sender's permission again after it.
    public var slowBody: Duration = .seconds(1)
    /// From the start of a connection to the end of its first head. A later head that has begun may take twice as
    /// long, and a connection may be idle for as long while the server is at its limit of connections.
    public var headTimeout: TimeAmount = .seconds(10)
    /// A connection between two requests.
    public var idleTimeout: TimeAmount = .seconds(75)
    /// A client that reads nothing of a streamed response.
    public var stallTimeout: TimeAmount = .seconds(60)
    /// How long a refused client may continue sending before its connection is closed.
    public var linger: TimeAmount = .seconds(1)
    /// A client gets no `100 Continue` for a longer body.
    public var largestBody = 4 * 1024 * 1024

    public init() {}
}
