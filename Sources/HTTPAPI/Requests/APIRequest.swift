import Cryptography
import Domain
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Images
import NIOCore
import Store
import StrictJSON

/// A request that has matched a route and passed its access check; everything else is read on demand.
///
/// The body is read last on purpose: a handler checks existence, ownership and preconditions before it calls
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
    let parameters: [(name: Substring, value: String)]
    let rawQuery: String?
    let channel: any Channel
    /// The engine's request, which reports when its connection is closed.
    public let underlying: Request
    let trustedProxies: Int
    /// The permit of a request that makes changes.
    let permit: ChangePermit?
    /// Checks the caller's access again if the body took long to arrive.
    let confirm: @Sendable (_ waited: Duration) async throws -> Void

    /// The client's address, for limits and the security log; never logged together with a form.
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

    /// The path parameter of this name as an id; throws 404 if it is not a UUID.
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
        try Self.idempotencyKey(headers[.idempotencyKey], atLeast: minimum)
    }

    static func idempotencyKey(_ value: String?, atLeast minimum: Int) throws(Problem) -> String? {
        guard let key = value else { return nil }
        guard (minimum...255).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw Problem(.badRequest, "Idempotency-Key must have \(minimum) to 255 visible ASCII characters.")
        }
        return key
    }
}

extension APIRequest {
    /// Whether `If-None-Match` contains this tag or a weakly equal one. If it does, the response is a 304 and nothing
    /// has to be rendered.
    public func isCurrent(_ tag: ETag) -> Bool { Self.noneMatch(headers, tag) }

    static func noneMatch(_ headers: HTTPFields, _ tag: ETag) -> Bool {
        guard let value = headers[.ifNoneMatch], let list = ETag.List(parsing: value) else { return false }
        return switch list {
        case .any: true
        case .tags(let tags): tags.contains { $0.isEquivalent(to: tag) }
        }
    }

    /// Throws 428 without `If-Match`, and 412 unless it contains the tag of the current state.
    public func requireMatch(_ current: ETag) throws(Problem) {
        try requireCondition()
        try checkMatch(current)
    }

    /// Throws 428 without `If-Match`, and 412 unless it contains a tag of this revision. The rest of the tag is
    /// ignored.
    public func requireMatch(revision: Int) throws(Problem) {
        try requireCondition()
        try checkMatch(revision: revision)
    }

    /// Throws 412 if `If-Match` is present and does not contain the tag of the current state.
    public func checkMatch(_ current: ETag) throws(Problem) {
        guard matches({ $0.isSame(as: current) }) else {
            throw Problem(.preconditionFailed, "The current ETag is \(current).")
        }
    }

    /// Throws 412 if `If-Match` is present and does not contain a tag of this revision.
    public func checkMatch(revision: Int) throws(Problem) {
        guard matches({ $0.revision == revision }) else {
            throw Problem(.preconditionFailed, "The current revision is \(revision).")
        }
    }

    private func requireCondition() throws(Problem) {
        guard headers[.ifMatch] != nil else {
            throw Problem(.preconditionRequired, "Send If-Match with the ETag of what you read.")
        }
    }

    private func matches(_ isCurrent: (ETag) -> Bool) -> Bool {
        guard let value = headers[.ifMatch] else { return true }
        return switch ETag.List(parsing: value) {
        case .any: true
        case .tags(let tags): tags.contains(where: isCurrent)
        case nil: false
        }
    }
}

extension Route.Content {
    /// An uploaded image. Its format is detected from the content, whichever of these media types is declared.
    static let image = Route.Content.media(MediaType.images, limit: 2 * 1024 * 1024)
}

extension MediaType {
    static let images = ImageFormat.allCases.map(\.mediaType)
}

extension APIRequest {
    /// Re-encodes the body as an image without metadata such as location, camera or comments; throws 422 if it is not
    /// an image.
    func image(by cleaner: ImageCleaner) async throws -> CleanImage {
        let account = try requireCaller().account.id
        return try await cleaner.clean(Array(content().bytes.readableBytesView), for: account)
    }
}

extension APIRequest {
    /// Like `image(by:)`, but also returns a small copy for the top of a form.
    func imageWithBanner(by cleaner: ImageCleaner) async throws -> (image: CleanImage, banner: CleanImage) {
        let account = try requireCaller().account.id
        return try await cleaner.cleanWithBanner(Array(content().bytes.readableBytesView), for: account)
    }
}

extension APIResponse {
    /// A response with an image.
    static func image(_ bytes: [UInt8], as type: String, digest: [UInt8]) -> APIResponse {
        .bytes(ByteBuffer(bytes: bytes), as: type).tagged(ETag(Base64URL.encode(Array(digest.prefix(12)))))
    }
}

extension APIRequest {
    /// The values by which a repetition of this POST is recognized: account, path, `Idempotency-Key` and body. Nil if
    /// the request has no key.
    func idempotentRequest(_ document: RequestDocument?) throws -> IdempotentRequest? {
        guard let key = try idempotencyKey() else { return nil }
        let body = document.map { Array($0.bytes.readableBytesView) } ?? []
        return IdempotentRequest(
            accountID: try requireCaller().account.id, route: "\(route.method.rawValue) \(path)", key: key,
            bodyHash: SHA256.hash(body))
    }

    /// The path as it was requested, without the query.
    var path: String { underlying.uri.path }
}
