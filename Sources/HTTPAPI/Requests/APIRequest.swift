import Domain
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Store
import StrictJSON

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A request that has matched a route and passed its access check; everything else is read on demand.
///
/// The body comes last on purpose: a handler checks existence, ownership and preconditions before it calls
/// ``document()``.
public struct APIRequest: Sendable {
    /// The id of this request in `X-Request-Id`, in a problem's `instance` and in the log.
    public let id: UUID
    public let route: Route
    public let headers: HTTPFields
    /// The account of the bearer token; never nil on a route for accounts or admins.
    public let caller: Principal?
    /// The credentials in `Authorization`, on routes that read it.
    public let credentials: Credentials?
    public let logger: Logger
    let parameters: [(name: Substring, value: String)]
    let rawQuery: String?
    let channel: any Channel
    /// The engine's request, for what only it provides: the event that a connection was closed.
    public let underlying: Request
    let trustedProxies: Int
    /// Checks the caller's access again after a slow body.
    let confirm: @Sendable (_ waited: Duration) async throws -> Void

    /// The client's address, for limits on guessing; never logged together with a form.
    var clientAddress: ClientAddress {
        ClientAddress(
            peer: channel.remoteAddress?.ipAddress, forwarded: headers[.forwardedFor], trustedProxies: trustedProxies)
    }

    /// The signed-in account.
    public func requireCaller() throws(Problem) -> Principal {
        guard let caller else { throw Problem(.unauthorized) }
        return caller
    }

    /// The path parameter of this name, percent-decoded.
    public func parameter(_ name: String) throws(Problem) -> String {
        guard let value = parameters.first(where: { $0.name == name })?.value else { throw Problem(.notFound) }
        return value
    }

    /// The path parameter of this name as an id; throws 404 if it is no UUID.
    public func uuid(_ name: String) throws(Problem) -> UUID {
        guard let uuid = UUID(uuidString: try parameter(name)) else { throw Problem(.notFound) }
        return uuid
    }

    /// Reads query parameters; throws all errors of the query together, after `read` has read every parameter it needs.
    ///
    /// - Parameter repeatable: Parameters that may occur more than once.
    public func query<Value>(
        repeating repeatable: Set<String> = [], _ read: (inout QueryReader) throws -> Value
    ) throws -> Value {
        var reader = QueryReader(rawQuery, known: route.query, repeatable: repeatable)
        let value = try read(&reader)
        try reader.finish()
        return value
    }

    /// The `Idempotency-Key`, of `atLeast` to 255 visible ASCII characters.
    public func idempotencyKey(atLeast minimum: Int = 1) throws(Problem) -> String? {
        try Self.idempotencyKey(in: headers, atLeast: minimum)
    }

    static func idempotencyKey(in headers: HTTPFields, atLeast minimum: Int) throws(Problem) -> String? {
        guard let key = headers[.idempotencyKey] else { return nil }
        guard (minimum...255).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw Problem(.badRequest, "Idempotency-Key takes \(minimum) to 255 visible ASCII characters.")
        }
        return key
    }
}
