import Domain
import HTTPAPI
import HTTPServer
import HTTPTypes
import NIOCore
import StrictJSON
import Synchronization

/// A route with a shortcut. Each response names the path that handled the request, `short` or `long`, and the word.
///
/// Some words are special: the shortcut declines `left`, holds `wait` until ``release()``, answers `full` with a
/// problem, `broken` with an unexpected error and `large` with a long text.
final class SampleShortcut: Sendable {
    struct Secret: Error {}

    /// More bytes than a connection buffers for a client that does not read.
    static let large = 16 << 20

    private let waiting = Mutex<[@Sendable () -> Void]>([])
    private let arrive: AsyncStream<Void>.Continuation
    /// One element for each `wait`.
    let arrivals: AsyncStream<Void>
    /// The number of requests that the shortcut handled.
    let shortcuts = Atomic<Int>(0)
    /// The number of requests that the engine handled.
    let handled = Atomic<Int>(0)

    init() {
        (arrivals, arrive) = AsyncStream.makeStream()
    }

    /// Answers all waiting requests, from a thread that does not run their event loops.
    func release() {
        for send in waiting.withLock({ waiting in
            defer { waiting = [] }
            return waiting
        }) { send() }
    }

    func api(metrics: PrometheusRegistry = PrometheusRegistry(), limits: ConnectionLimits = .init()) throws -> API {
        try SampleAPI.api(adding: [quickRoute, nowRoute], metrics: metrics, limits: limits)
    }

    private var quickRoute: Route {
        Route(
            .post, "/quick/{word}", access: .participant, accepts: .json(limit: 20_000),
            shortcut: { [self] request, reply in
                guard let word = try? request.parameter("word"), word != "left" else { return false }
                shortcuts.wrappingAdd(1, ordering: .relaxed)
                let response: Route.DeferredResponse = {
                    switch word {
                    case "full": throw Problem(.overloaded, retryAfter: 7)
                    case "broken": throw Secret()
                    case "large": Self.response("short large of 2 " + String(repeating: "a", count: Self.large))
                    default: Self.response("short \(word) of \(request.body.readableBytes)")
                    }
                }
                if word == "wait" {
                    waiting.withLock { $0.append { reply(response) } }
                    arrive.yield()
                } else {
                    reply(response)
                }
                return true
            },
            handler: { [self] request in
                handled.wrappingAdd(1, ordering: .relaxed)
                let body = try await request.document().bytes
                return Self.response("long \(try request.parameter("word")) of \(body.readableBytes)")
            })
    }

    private var nowRoute: Route {
        Route(
            .get, "/now", access: .anyone,
            shortcut: { [self] _, reply in
                shortcuts.wrappingAdd(1, ordering: .relaxed)
                reply { Self.response("short", status: .ok) }
                return true
            }, handler: { _ in Self.response("long", status: .ok) })
    }

    private static func response(_ text: String, status: HTTPResponse.Status = .created) -> APIResponse {
        .json(.string(text), status: status)
    }

    /// The text of a request for `/quick/{word}`.
    static func post(_ word: String, _ body: String = "{}", _ headers: [String] = []) -> String {
        (["POST /quick/\(word) HTTP/1.1", "Host: x", "Content-Type: application/json"] + headers
            + ["Content-Length: \(body.utf8.count)", "", body]).joined(separator: "\r\n")
    }
}

extension String {
    /// The JSON bodies of the responses in order, without quotation marks.
    var responses: [String] {
        split(separator: "\r\n\r\n").dropFirst().compactMap { part in
            guard part.first == "\"" || part.first == "{" else { return nil }
            return part.split(separator: "HTTP/1.1").first.map { String($0.filter { $0 != "\"" }) }
        }
    }
}
