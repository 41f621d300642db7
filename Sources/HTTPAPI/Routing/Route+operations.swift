import Domain
import Hummingbird
import NIOCore
import StrictJSON

extension Route {
    /// The route's name in logs and metrics: never a requested path.
    var name: String { "\(method.rawValue) \(path)" }

    /// `/livez`, `/readyz`, `/metrics` and the OpenAPI document.
    ///
    /// - Parameters:
    ///   - sample: Sets the gauges that are only read on request.
    ///   - unready: Returns why the service cannot accept requests now; nil if it can.
    public static func operations(
        metrics: PrometheusRegistry, document: @escaping @Sendable () throws -> OpenAPIDocument,
        sample: @escaping @Sendable () -> Void = {},
        unready: @escaping @Sendable () async -> Problem?
    ) -> [Route] {
        let fine = APIResponse.json(.object([.init("status", .string("ok"))]))
        return [
            // On the event loop, so that it waits for no thread that requests share.
            Route(
                .get, "/livez", access: .anyone,
                shortcut: { _, reply in
                    reply { fine }
                    return true
                },
                handler: { _ in fine }),
            Route(.get, "/readyz", access: .anyone) { _ in
                if let problem = await unready() { throw problem }
                return fine
            },
            Route(.get, "/metrics", access: .anyone, produces: [MediaType.metrics]) { _ in
                sample()
                return .bytes(ByteBuffer(string: metrics.exposition()), as: MediaType.metrics)
            },
            Route(.get, "/openapi.yaml", access: .anyone, produces: [MediaType.yaml]) { _ in
                let document = try document()
                return .bytes(document.yaml, as: MediaType.yaml).tagged(document.tag)
            },
            Route(.get, "/openapi.json", access: .anyone) { _ in
                let document = try document()
                return .bytes(document.json).tagged(document.tag)
            },
        ]
    }
}
