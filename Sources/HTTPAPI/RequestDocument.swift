import Domain
import HTTPTypes
import HummingbirdCore
import NIOCore
import StrictJSON

/// A request's JSON body: its bytes, whose MAC tells a replay from a conflict, and its value.
public struct RequestDocument: Sendable {
    public let bytes: ByteBuffer

    /// The body as strict JSON; its first fault of syntax is a 400.
    public func json() throws(Problem) -> JSONValue {
        do {
            return try JSONValue.parse(bytes.readableBytesView)
        } catch {
            throw Problem([error])
        }
    }
}

extension APIRequest {
    /// Reads the whole body, at most once: 415 unless it is plain JSON, 413 past the route's limit, 408 when it dawdles.
    public func document() async throws -> RequestDocument {
        guard let document = try await optionalDocument() else {
            throw Problem([Fault(.malformed, at: "", code: "invalid-json", "The body is empty.")])
        }
        return document
    }

    /// The same, or nil without a body.
    public func optionalDocument() async throws -> RequestDocument? {
        let limit =
            switch route.accepts {
            case .none: 0
            case .json(let limit), .optionalJSON(let limit): limit
            }
        let announced = headers[.contentLength].flatMap { Int($0) }
        if announced == 0 || (announced == nil && headers[.transferEncoding] == nil) { return nil }
        try checkMediaType()
        if let announced, announced > limit { throw Self.tooLarge(limit) }
        let bytes: ByteBuffer
        do {
            bytes = try await underlying.body.collect(upTo: limit)
        } catch is NIOTooManyBytesError {
            throw Self.tooLarge(limit)
        }
        if let announced, announced != bytes.readableBytes {
            throw Problem(.badRequest, "The body ended before its Content-Length.")
        }
        return bytes.readableBytes == 0 ? nil : RequestDocument(bytes: bytes)
    }

    /// JSON in UTF-8, in no content coding.
    private func checkMediaType() throws(Problem) {
        if let coding = headers[.contentEncoding], coding.trimmingSpaces.lowercased() != "identity" {
            throw Problem(.unsupportedMediaType, "Send the body without a Content-Encoding.")
        }
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
