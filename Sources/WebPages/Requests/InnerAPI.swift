import Contract
import Foundation
import HTTPAPI
import HTTPServer
import HTTPTypes
import HummingbirdCore
import NIOCore
import StrictJSON

/// Sends requests to the API in this process, with the same access checks, limits and problems as for other clients.
struct InnerAPI: Sendable {
    /// A response of the API with its whole body.
    struct CollectedResponse: Sendable {
        var status: HTTPResponse.Status
        var headers: HTTPFields
        var bytes: ByteBuffer

        func decoded<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
            try ContractCoding.decoder().decode(type, from: Data(bytes.readableBytesView))
        }

        /// The problem of an error response.
        var problem: ProblemBody? { try? decoded() }
    }

    private let api: API

    init(_ api: API) { self.api = api }

    /// The number of requests to the API and to pages since the start.
    var requestTotals: RequestTotals { api.requestTotals }

    /// How many live viewers are connected.
    var viewers: Int { api.liveViewers }

    /// The address of the client that sent the page's request.
    func clientAddress(of page: PageRequest) -> ClientAddress {
        api.clientAddress(of: page.context.channel, forwarded: page.request.headers[.forwardedFor])
    }

    /// Logs a form that was not sent from a page of this service.
    func recordForgery(_ page: PageRequest) {
        api.record(
            .forgedForm, account: page.bar?.accountID.uuid, for: page.request, id: page.requestID, page.context,
            route: "\(page.method.rawValue) \(page.pattern)")
    }

    func send(
        _ method: HTTPRequest.Method, _ path: String, for page: PageRequest, as authorization: String?,
        json: JSONValue?, headers: HTTPFields, file: ArraySlice<UInt8>? = nil
    ) async throws -> CollectedResponse {
        var fields = headers
        if fields[.accept] == nil { fields[.accept] = "application/json" }
        fields[.authorization] = authorization
        // Mails that the request causes are in the language of the page.
        if fields[.acceptLanguage] == nil { fields[.acceptLanguage] = page.language.rawValue }
        // A session is named after the browser.
        fields[.userAgent] = page.request.headers[.userAgent]
        // Rate limits use the client's address, which a proxy reports in this header.
        fields[values: .forwardedFor] = page.request.headers[values: .forwardedFor]
        var body = RequestBody(buffer: ByteBuffer())
        if let bytes = json.map({ ArraySlice($0.bytes) }) ?? file {
            if json != nil { fields[.contentType] = "application/json" }
            fields[.contentLength] = String(bytes.count)
            body = RequestBody(buffer: ByteBuffer(bytes: bytes))
        }
        let head = HTTPRequest(
            method: method, scheme: "http", authority: page.request.head.authority, path: path, headerFields: fields)
        let response = try await api.respond(
            to: Request(head: head, body: body), context: page.context, isCounted: false, id: page.requestID)
        let bytes = try await Self.collect(response.body, atMost: Self.maxBytes)
        return CollectedResponse(status: response.status, headers: response.headers, bytes: bytes)
    }

    /// The largest response that a page collects. The results of 100 questions take about half a megabyte.
    static let maxBytes = 16 << 20

    /// The response is larger than `maxBytes`.
    struct ResponseTooLong: Error {}

    static func collect(_ body: ResponseBody, atMost maxBytes: Int) async throws -> ByteBuffer {
        let collector = Collector(maxBytes: maxBytes)
        try await body.write(collector)
        return await collector.buffer
    }

    /// Passes on a response of any length. The request to the API has the query of the page request.
    func relay(_ path: String, for page: PageRequest, as authorization: String?) async throws -> Response {
        try await relay(
            exactly: path + (page.request.uri.query.map { "?" + $0 } ?? ""), for: page, as: authorization)
    }

    /// Passes on the response to a path that includes its query. The HTTP engine ends the response when the client
    /// disconnects.
    func relay(exactly path: String, for page: PageRequest, as authorization: String?) async throws -> Response {
        var head = page.request.head
        head.path = path
        if let authorization { head.headerFields[.authorization] = authorization }
        head.headerFields[.accept] = "*/*"
        var response = try await api.respond(
            to: Request(head: head, body: page.request.body), context: page.context, isCounted: false,
            id: page.requestID)
        // The API lets pages of other sites read event streams, because it uses no cookies. Pages do.
        response.headers[.accessControlAllowOrigin] = nil
        return response
    }

    private actor Collector: ResponseBodyWriter {
        private(set) var buffer = ByteBuffer()
        private let maxBytes: Int

        init(maxBytes: Int) { self.maxBytes = maxBytes }

        func write(_ chunk: ByteBuffer) async throws {
            guard buffer.readableBytes + chunk.readableBytes <= maxBytes else { throw ResponseTooLong() }
            // Most bodies are one chunk, whose memory is shared with the other readers of a cached body.
            if buffer.readableBytes == 0 { buffer = chunk } else { buffer.writeImmutableBuffer(chunk) }
        }

        func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }
}

extension HTTPField.Name {
    // These names are valid tokens, so the initializer never returns nil.
    static let idempotencyKey = HTTPField.Name("Idempotency-Key")!
    static let idempotencyReplayed = HTTPField.Name("Idempotency-Replayed")!
}
