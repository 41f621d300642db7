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

/// A request that has found its route and passed its access; everything else about it is read when asked for.
///
/// The body comes last on purpose: a handler judges existence, ownership and preconditions before it calls
/// ``document()``.
public struct APIRequest: Sendable {
    /// Names this request in the answer's `X-Request-Id`, in a problem's `instance` and in the log.
    public let id: UUID
    public let route: Route
    public let headers: HTTPFields
    /// Whoever the bearer token belongs to; never nil on a route for accounts or admins.
    public let caller: Principal?
    /// What `Authorization` says, on routes that look at it.
    public let credentials: Credentials?
    public let logger: Logger
    let parameters: [(name: Substring, value: String)]
    let rawQuery: String?
    let channel: any Channel
    /// The engine's request, for what only it can do: the event stream's notice of a closed connection.
    public let underlying: Request
    let trustedProxies: Int
    /// Judges the caller again after a body that took so long.
    let confirm: @Sendable (_ waited: Duration) async throws -> Void

    /// The address of the client's end, for limits of guessing; never logged beside a form.
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

    /// The path parameter of this name as an id; what is no UUID cannot exist.
    public func uuid(_ name: String) throws(Problem) -> UUID {
        guard let uuid = UUID(uuidString: try parameter(name)) else { throw Problem(.notFound) }
        return uuid
    }

    /// Reads query parameters; every fault of the query is thrown at once, after `read` has asked for all it wants.
    ///
    /// - Parameter repeatable: those that may stand several times.
    public func query<Value>(
        repeating repeatable: Set<String> = [], _ read: (inout QueryReader) throws -> Value
    ) throws -> Value {
        var reader = QueryReader(rawQuery, known: route.query, repeatable: repeatable)
        let value = try read(&reader)
        try reader.finish()
        return value
    }

    /// The `Idempotency-Key`, of at least `atLeast` visible ASCII characters and at most 255.
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
