import Contract
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
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

    public static func json(_ value: JSONValue, status: HTTPResponse.Status = .ok) -> APIResponse {
        .bytes(ByteBuffer(bytes: value.bytes), status: status)
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
    /// A body of the contract, with times and nulls in the contract's format.
    public static func encoded(
        _ body: some Encodable, status: HTTPResponse.Status = .ok
    ) throws -> APIResponse {
        .bytes(ByteBuffer(bytes: try ContractCoding.encoder().encode(body)), status: status)
    }
}
