import Contract
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import Store
import StrictJSON

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A handler's response; the API adds the request id, caching defaults and, for a known tag, the 304.
public struct APIResponse: Sendable {
    public enum Body: Sendable {
        case bytes(ByteBuffer)
        /// Of unknown length.
        case stream(ResponseBody)
    }

    public var status: HTTPResponse.Status
    public var headers: HTTPFields
    public var body: Body

    public init(status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], body: Body = .bytes(ByteBuffer())) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// 204.
    public static let noContent = APIResponse(status: .noContent)

    /// Existing bytes, such as a result that is rendered once per revision.
    public static func bytes(
        _ bytes: ByteBuffer, as type: String = MediaType.json, status: HTTPResponse.Status = .ok
    ) -> APIResponse {
        APIResponse(status: status, headers: [.contentType: type], body: .bytes(bytes))
    }

    /// A value that is JSON already.
    public static func json(_ value: JSONValue, status: HTTPResponse.Status = .ok) -> APIResponse {
        .bytes(ByteBuffer(bytes: value.bytes), status: status)
    }

    /// A body of the contract.
    public static func json(_ body: some Encodable, status: HTTPResponse.Status = .ok) throws -> APIResponse {
        .bytes(ByteBuffer(bytes: try ContractCoding.encode(body)), status: status)
    }

    /// A body of unknown length, written with back-pressure and ended by the trailers that `write` returns.
    ///
    /// When `write` throws, the connection is closed, so that the client sees an incomplete body and never a short one.
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
    public mutating func write(_ bytes: [UInt8]) async throws { try await writer.write(ByteBuffer(bytes: bytes)) }
}

extension APIResponse {
    /// A body of the contract with its entity tag; it is encoded once for both.
    ///
    /// - Parameter revision: The revision of a resource whose body has counters that change independently.
    static func tagged(_ body: some Encodable, revision: Int? = nil) throws -> APIResponse {
        let bytes = try ContractCoding.encode(body)
        let tag = revision.map { ETag(revision: $0, digestOfBytes: bytes) } ?? ETag(digestOfBytes: bytes)
        return .bytes(ByteBuffer(bytes: bytes)).tagged(tag)
    }

    /// A page of a list.
    ///
    /// - Parameters:
    ///   - found: Up to one item more than the page; the extra item means that there is a next page.
    ///   - cursor: The position after an item.
    static func page<Stored, Item: Codable & Sendable>(
        _ found: [Stored], limit: Int, after cursor: (Stored) -> String, _ item: (Stored) -> Item
    ) throws -> APIResponse {
        let items = found.prefix(limit)
        let next = found.count > items.count ? items.last.map(cursor) : nil
        return try .json(Page(items: items.map(item), next: next))
    }

    /// The 201 of an idempotent creation, with `Idempotency-Replayed` if it was created before.
    static func made(_ made: Idempotent) -> APIResponse {
        let answer = APIResponse.bytes(ByteBuffer(bytes: made.answer), status: .created)
        return made.isReplay ? answer.with(.idempotencyReplayed, "true") : answer
    }

    /// The same for a body with secrets, which a replay omits: they are not stored with the request.
    static func made<Body: Codable>(
        _ made: Idempotent, _ type: Body.Type, revealing reveal: (inout Body) -> Void
    ) throws -> APIResponse {
        if made.isReplay { return .made(made) }
        var body = try ContractCoding.decoder().decode(type, from: Data(made.answer))
        reveal(&body)
        return try .json(body, status: .created)
    }
}
