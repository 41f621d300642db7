import Domain
import HTTPServer
import HTTPTypes
import HummingbirdCore
import NIOCore
import StrictJSON

/// A request's JSON body. A hash of its bytes distinguishes a replay from a conflict.
public struct RequestDocument: Sendable {
    /// The largest number of values in a body. The largest form has about 20,000.
    public static let maxValues = 50_000

    public let bytes: ByteBuffer

    /// Parses the body as strict JSON; throws 400 with its first syntax error, or if it has more than `maxValues`
    /// values.
    public func json(maxValues: Int = Self.maxValues) throws(Problem) -> JSONValue {
        do {
            return try JSONValue.parse(bytes.readableBytesView, maxValues: maxValues)
        } catch {
            throw Problem([error])
        }
    }
}

extension APIRequest {
    /// Reads the whole body, at most once; throws 415 unless it is plain JSON, 413 past the route's limit, 408 if it
    /// arrives too slowly.
    public func document() async throws -> RequestDocument {
        guard let document = try await optionalDocument() else {
            throw Problem([Fault(.malformed, at: "", code: "invalid-json", "The body is empty.")])
        }
        return document
    }

    /// Like ``document()``, but returns nil if there is no body.
    public func optionalDocument() async throws -> RequestDocument? {
        let limit =
            switch route.accepts {
            case .none: 0
            case .json(let limit), .optionalJSON(let limit), .media(_, let limit): limit
            }
        guard hasBody else { return nil }
        try checkMediaType()
        let bytes = try await readBytes(upTo: limit)
        return bytes.readableBytes == 0 ? nil : RequestDocument(bytes: bytes)
    }

    /// Accepts `{}` or no body.
    func requireEmptyBody() async throws {
        try ObjectReader(await optionalDocument()?.json() ?? .object([])).requireNoFaults()
    }

    /// Reads the whole body of a route that accepts media types, and returns its type without parameters; throws 415
    /// for any other type, and for a content coding.
    func content() async throws -> (type: String, bytes: ByteBuffer) {
        guard case .media(let types, let limit) = route.accepts else { throw Problem(.unsupportedMediaType) }
        try checkCoding()
        let type = MediaType.essence(headers[.contentType] ?? "")
        guard types.contains(type) else {
            throw Problem(.unsupportedMediaType, "Send \(types.joined(separator: " or ")).")
        }
        if type == MediaType.json { try checkMediaType() }
        guard hasBody else { throw Problem(.badRequest, "The body is empty.") }
        return (type, try await readBytes(upTo: limit))
    }

    private var hasBody: Bool {
        let contentLength = headers[.contentLength].flatMap { Int($0) }
        return contentLength.map { $0 > 0 } ?? (headers[.transferEncoding] != nil)
    }

    private func readBytes(upTo limit: Int) async throws -> ByteBuffer {
        let contentLength = headers[.contentLength].flatMap { Int($0) }
        if let contentLength, contentLength > limit { throw Self.tooLarge(limit) }
        let start = ContinuousClock.now
        permit?.giveBack()
        var bytes = ByteBuffer()
        for try await chunk in underlying.body {
            guard bytes.readableBytes + chunk.readableBytes <= limit else { throw Self.tooLarge(limit) }
            bytes.writeImmutableBuffer(chunk)
        }
        if let contentLength, contentLength != bytes.readableBytes {
            throw Problem(.badRequest, "The body ended before its Content-Length.")
        }
        try await permit?.take()
        try await confirm(.now - start)
        return bytes
    }

    private func checkCoding() throws(Problem) {
        guard let coding = headers[.contentEncoding] else { return }
        guard coding.trimmingSpaces.lowercased() == "identity" else {
            throw Problem(.unsupportedMediaType, "Send the body without a Content-Encoding.")
        }
    }

    /// Throws 415 unless the body is JSON in UTF-8 without a content coding.
    private func checkMediaType() throws(Problem) {
        try checkCoding()
        let value = headers[.contentType] ?? ""
        if value == MediaType.json { return }
        guard MediaType.essence(value) == MediaType.json else {
            throw Problem(.unsupportedMediaType, "Send application/json.")
        }
        let parameters = value.split(separator: ";").dropFirst()
        for parameter in parameters {
            let text = parameter.trimmingSpaces.lowercased()
            guard text == "charset=utf-8" || text == "charset=\"utf-8\"" else {
                throw Problem(.unsupportedMediaType, "Send application/json in UTF-8.")
            }
        }
    }

    private static func tooLarge(_ limit: Int) -> Problem {
        Problem(.contentTooLarge, "The body may have at most \(limit) bytes.")
    }
}
