import Contract
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import Store
import StrictJSON

/// A handler's response. The API adds the request id and caching defaults, and sends a 304 instead if the client
/// already has the current state.
public struct APIResponse: Sendable {
    public enum Body: Sendable {
        case bytes(ByteBuffer)
        /// A body of unknown length.
        case stream(ResponseBody)
    }

    public var status: HTTPResponse.Status
    public var headers: HTTPFields
    public var body: Body
    /// The body, if it is kept for later responses. Clients that accept gzip get it compressed.
    private(set) var kept: KeptBody?
    /// For whom a streamed body uses the database: the client of the task that made the response.
    let client = DatabaseClient.current

    public init(status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], body: Body = .bytes(ByteBuffer())) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// A 204, which has no body.
    public static let noContent = APIResponse(status: .noContent)

    /// A body of existing bytes, such as a result that is rendered once per revision.
    public static func bytes(
        _ bytes: ByteBuffer, as type: String = MediaType.json, status: HTTPResponse.Status = .ok
    ) -> APIResponse {
        APIResponse(status: status, headers: [.contentType: type], body: .bytes(bytes))
    }

    /// A body that is kept and sent again.
    static func kept(_ body: KeptBody, as type: String = MediaType.json, tag: ETag) -> APIResponse {
        var response = APIResponse.bytes(body.bytes, as: type).tagged(tag).with(.vary, "Accept-Encoding")
        response.kept = body
        return response
    }

    /// The 304 for a body that is kept.
    static func notModified(_ tag: ETag, for headers: HTTPFields) -> APIResponse {
        let tag = ETag(tag.opaque, isWeak: tag.isWeak || Gzip.isAccepted(by: headers))
        return APIResponse(status: .notModified).tagged(tag).with(.vary, "Accept-Encoding")
    }

    /// Replaces a kept body with its compressed bytes, if there are any. The tag becomes weak, because the strong tag
    /// identifies the uncompressed bytes.
    func compressed() -> APIResponse {
        guard let tag = headers[.eTag], let gzip = kept?.gzip() else { return self }
        var copy = with(.contentEncoding, "gzip").with(.eTag, "W/\(tag)")
        copy.body = .bytes(gzip)
        return copy
    }

    /// A body that is a JSON value.
    public static func json(_ value: JSONValue, status: HTTPResponse.Status = .ok) -> APIResponse {
        .bytes(ByteBuffer(bytes: value.bytes), status: status)
    }

    /// A body that is a value of the contract.
    public static func json(_ body: some Encodable, status: HTTPResponse.Status = .ok) throws -> APIResponse {
        .bytes(ByteBuffer(bytes: try ContractCoding.encode(body)), status: status)
    }

    /// A body of unknown length, written with back-pressure and ended by the trailers that `write` returns.
    ///
    /// When `write` throws, the connection is closed, so that the client does not mistake an incomplete body for a
    /// complete one.
    public static func stream(
        as type: String, trailers: [HTTPField.Name] = [],
        _ write: @escaping @Sendable (inout BodyWriter) async throws -> HTTPFields?
    ) -> APIResponse {
        var headers: HTTPFields = [.contentType: type]
        if !trailers.isEmpty {
            headers[.trailer] = trailers.map(\.canonicalName).joined(separator: ", ")
        }
        let body = ResponseBody { writer in
            var body = BodyWriter(writer)
            let trailing = try await write(&body)
            try await writer.finish(trailing)
        }
        return APIResponse(headers: headers, body: .stream(body))
    }

    /// Adds an `ETag`, which is compared with `If-None-Match`.
    public func tagged(_ tag: ETag) -> APIResponse { with(.eTag, tag.description) }

    /// This response, which caches and browsers do not keep, because it contains personal data. Its `ETag` is for
    /// `If-Match` and for programs.
    var unstored: APIResponse { with(.cacheControl, "no-store") }

    public func with(_ name: HTTPField.Name, _ value: String) -> APIResponse {
        var copy = self
        copy.headers[name] = value
        return copy
    }
}

/// Receives a streamed body; a write returns once the connection has room.
public struct BodyWriter {
    private var writer: any ResponseBodyWriter

    init(_ writer: any ResponseBodyWriter) {
        self.writer = writer
    }

    public mutating func write(_ bytes: ByteBuffer) async throws { try await writer.write(bytes) }
}

extension APIResponse {
    /// A value of the contract with its entity tag. The value is encoded once for both.
    ///
    /// - Parameter revision: The revision of a resource whose body has counters that change independently.
    static func tagged(_ body: some Encodable, revision: Int? = nil) throws -> APIResponse {
        let bytes = try ContractCoding.encode(body)
        return .bytes(ByteBuffer(bytes: bytes)).tagged(ETag(revision: revision, digestOfBytes: bytes))
    }

    /// A page of a list.
    ///
    /// - Parameters:
    ///   - found: Up to one item more than the page; the extra item means that there is a next page.
    ///   - cursor: Returns the cursor of the position after an item.
    static func page<Stored, Item: Codable & Sendable>(
        _ found: [Stored], limit: Int, after cursor: (Stored) -> String, _ item: (Stored) -> Item
    ) throws -> APIResponse {
        let items = found.prefix(limit)
        let next = found.count > items.count ? items.last.map(cursor) : nil
        return try .json(Page(items: items.map(item), next: next))
    }

    /// The 201 of an idempotent creation, with `Idempotency-Replayed` if the request is a replay.
    static func created(_ creation: IdempotentResponse) -> APIResponse {
        let response = APIResponse.bytes(ByteBuffer(bytes: creation.body), status: .created)
        return creation.isReplay ? response.with(.idempotencyReplayed, "true") : response
    }

    /// The 201 of an idempotent creation whose body has secrets. Secrets are not stored, so a replay omits them.
    ///
    /// - Parameter reveal: Adds the secrets to the body.
    static func created<Body: Codable>(
        _ creation: IdempotentResponse, _ type: Body.Type, revealing reveal: (inout Body) -> Void
    ) throws -> APIResponse {
        if creation.isReplay { return .created(creation) }
        var body = try ContractCoding.decoder().decode(type, from: Data(creation.body))
        reveal(&body)
        return try .json(body, status: .created)
    }
}
