import Domain
import HTTPServer
import NIOCore

/// A request that a shortcut may serve, with its complete small body.
public struct ShortRequest: Sendable {
    /// The value of `Idempotency-Key`, not yet checked.
    public let idempotencyKey: String?
    /// The credentials in `Authorization`, on routes that read it.
    public let credentials: Credentials?
    public let body: ByteBuffer
    /// Returns the client's address. It is computed on demand, because most requests do not need it.
    public let clientAddress: @Sendable () -> ClientAddress
    let parameters: [(name: Substring, value: String)]

    /// The path parameter of this name, percent-decoded.
    public func parameter(_ name: String) throws(Problem) -> String {
        guard let value = parameters.first(where: { $0.name == name })?.value else { throw Problem(.notFound) }
        return value
    }
}
