import Contract
import Foundation
import HTTPAPI
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import StrictJSON

/// The API as pages ask it: in this process, with the same access, limits and problems as from outside.
struct InnerAPI: Sendable {
    /// What the API said.
    struct Answer: Sendable {
        var status: HTTPResponse.Status
        var headers: HTTPFields
        var bytes: ByteBuffer

        func decoded<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
            try ContractCoding.decoder().decode(type, from: Data(bytes.readableBytesView))
        }

        /// The problem of an answer that is none of the good ones.
        var problem: ProblemBody? { try? decoded() }
    }

    private let api: API

    init(_ api: API) { self.api = api }

    /// Logs a form that was not sent from our own page.
    func recordForgery(_ page: PageRequest) {
        api.record(
            .forgedForm, account: page.bar?.accountID.uuid, for: page.request, page.context,
            route: "\(page.method.rawValue) \(page.pattern)")
    }

    func ask(
        _ method: HTTPRequest.Method, _ path: String, for page: PageRequest, as authorization: String?,
        json: JSONValue?, headers: HTTPFields, file: ArraySlice<UInt8>? = nil
    ) async throws -> Answer {
        var fields = headers
        if fields[.accept] == nil { fields[.accept] = "application/json" }
        fields[.authorization] = authorization
        // Mails are in the language of the page that asks for them.
        if fields[.acceptLanguage] == nil { fields[.acceptLanguage] = page.language.rawValue }
        // Limits count by the client's address, of which the proxy in front tells.
        fields[values: .xForwardedFor] = page.request.headers[values: .xForwardedFor]
        var body = RequestBody(buffer: ByteBuffer())
        if let bytes = json.map({ ArraySlice($0.bytes) }) ?? file {
            if json != nil { fields[.contentType] = "application/json" }
            fields[.contentLength] = String(bytes.count)
            body = RequestBody(buffer: ByteBuffer(bytes: bytes))
        }
        let head = HTTPRequest(
            method: method, scheme: "http", authority: page.request.head.authority, path: path, headerFields: fields)
        let response = try await api.respond(to: Request(head: head, body: body), context: page.context)
        let bytes = Collector()
        try await response.body.write(bytes)
        return Answer(status: response.status, headers: response.headers, bytes: await bytes.buffer)
    }

    /// The same, whatever its length, with the page's own query.
    func relay(_ path: String, for page: PageRequest, as authorization: String?) async throws -> Response {
        try await relay(
            exactly: path + (page.request.uri.query.map { "?" + $0 } ?? ""), for: page, as: authorization)
    }

    /// With the engine's own notice of a reader who leaves.
    func relay(exactly path: String, for page: PageRequest, as authorization: String?) async throws -> Response {
        var head = page.request.head
        head.path = path
        if let authorization { head.headerFields[.authorization] = authorization }
        head.headerFields[.accept] = "*/*"
        return try await api.respond(to: Request(head: head, body: page.request.body), context: page.context)
    }

    /// The bytes of an answer that is short.
    private actor Store {
        var buffer = ByteBuffer()
        func add(_ more: ByteBuffer) { buffer.writeImmutableBuffer(more) }
    }

    private struct Collector: ResponseBodyWriter {
        private let store = Store()

        var buffer: ByteBuffer { get async { await store.buffer } }

        mutating func write(_ buffer: ByteBuffer) async throws { await store.add(buffer) }
        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }
}

extension HTTPField.Name {
    // A constant of the standard library's kind.
    static let xForwardedFor = HTTPField.Name("X-Forwarded-For")!
}
