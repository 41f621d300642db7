import HTTPTypes
import Metrics

/// Requests by route template, method and class of status, with the time until the response began.
///
/// Instruments are created once per route, so that a request costs two atomic additions and no lookup.
struct RequestMetrics: Sendable {
    private struct Instruments: Sendable {
        /// For 1xx to 5xx.
        let requests: [Counter]
        let duration: Timer
    }

    private let routes: [Instruments]
    private let unmatched: Instruments

    init(_ routes: [Route], in registry: PrometheusRegistry) {
        func instruments(route: String, method: String) -> Instruments {
            let requests = (1...5).map { digit in
                Counter(
                    label: "http_requests_total",
                    dimensions: [("route", route), ("method", method), ("status", "\(digit)xx")], factory: registry)
            }
            let duration = Timer(
                label: "http_request_duration_seconds", dimensions: [("route", route), ("method", method)],
                factory: registry)
            return Instruments(requests: requests, duration: duration)
        }
        self.routes = routes.map { instruments(route: $0.path, method: $0.method.rawValue) }
        unmatched = instruments(route: "none", method: "any")
    }

    func record(route index: Int?, status: Int, duration: Duration) {
        let instruments = index.map { routes[$0] } ?? unmatched
        instruments.requests[min(max(status / 100, 1), 5) - 1].increment()
        let (seconds, attoseconds) = duration.components
        instruments.duration.recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}
