import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore

/// A responder that reports which of its responses are complete rather than streamed.
public protocol PlainResponder: HTTPResponder where Context == ConnectionContext {
    /// Whether the response to a plain GET or HEAD with this head is complete when `respond` returns, and small enough
    /// to be in memory as a whole.
    func respondsCompletely(to head: PlainHead) -> Bool
}

/// A plain GET or HEAD that is answered by a responder in a task of its own. It bypasses only the engine, whose streams
/// of parts cost as much as an ordinary response.
struct TaskCall: ShortCall {
    let responder: any PlainResponder
    let head: PlainHead

    /// Returns nil for every other request.
    init?(_ head: PlainHead, _ responder: any PlainResponder) {
        guard head.method != .post, responder.respondsCompletely(to: head) else { return nil }
        (self.head, self.responder) = (head, responder)
    }

    func run(
        _ body: ByteBuffer, on channel: any Channel, logger: Logger,
        reply: @escaping @Sendable (@escaping @Sendable () -> Reply) -> Void
    ) -> Bool {
        let request = Request(head: head.request, body: RequestBody(buffer: ByteBuffer()))
        let context = ConnectionContext(source: ApplicationRequestContextSource(channel: channel, logger: logger))
        Task {
            let response = await Self.response(to: request, by: responder, context)
            reply { response }
        }
        return true
    }

    private static func response(
        to request: Request, by responder: any PlainResponder, _ context: ConnectionContext
    ) async -> Reply {
        var id: String?
        do {
            var response = try await responder.respond(to: request, context: context)
            id = response.headers[.requestID]
            guard let length = response.body.contentLength else { throw StreamedResponse() }
            let body = CollectedBody()
            try await response.body.write(body)
            if response.headers[.contentLength] == nil, request.method == .get {
                response.headers[.contentLength] = String(length)
            }
            let head = HTTPResponse(status: response.status, headerFields: response.headers)
            return (head, request.method == .head ? ByteBuffer() : body.bytes)
        } catch {
            var metadata: Logger.Metadata = ["error": "\(error)"]
            metadata["request"] = id.map { "\($0)" }
            context.logger.error("A response was not complete", metadata: metadata)
            var headers: HTTPFields = [.contentLength: "0"]
            headers[.requestID] = id
            return (HTTPResponse(status: .internalServerError, headerFields: headers), ByteBuffer())
        }
    }
}

/// A response is streamed, although the responder promised a complete one.
private struct StreamedResponse: Error {}

/// Collects the body of a complete response.
private final class CollectedBody: ResponseBodyWriter {
    private(set) var bytes = ByteBuffer()

    func write(_ buffer: ByteBuffer) {
        // Most bodies are one buffer, which is not copied.
        if bytes.readableBytes == 0 { bytes = buffer } else { bytes.writeImmutableBuffer(buffer) }
    }

    func finish(_ trailers: HTTPFields?) {}
}
