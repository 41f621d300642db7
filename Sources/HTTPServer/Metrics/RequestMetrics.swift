import HTTPTypes
import Metrics
import Synchronization

/// The totals of a service since its start, for the health page.
public struct RequestTotals: Sendable, Equatable {
    public var requests = 0
    /// Responses with 5xx.
    public var errors = 0
    /// Responses with 429.
    public var refused = 0
    /// The sum of the times from each request to the beginning of its response.
    public var duration: Duration = .zero

    /// Nil before the first request.
    public var meanDuration: Duration? { requests == 0 ? nil : duration / requests }
}

/// Counts the totals of all routes together.
public final class RequestTotalsCounter: Sendable {
    private let requests = Atomic(0)
    private let errors = Atomic(0)
    private let refused = Atomic(0)
    private let nanoseconds = Atomic<Int64>(0)

    public init() {}

    public var current: RequestTotals {
        RequestTotals(
            requests: requests.load(ordering: .relaxed), errors: errors.load(ordering: .relaxed),
            refused: refused.load(ordering: .relaxed), duration: .nanoseconds(nanoseconds.load(ordering: .relaxed)))
    }

    func record(status: Int, nanoseconds duration: Int64) {
        requests.wrappingAdd(1, ordering: .relaxed)
        nanoseconds.wrappingAdd(duration, ordering: .relaxed)
        if status >= 500 { errors.wrappingAdd(1, ordering: .relaxed) }
        if status == 429 { refused.wrappingAdd(1, ordering: .relaxed) }
    }
}

/// Requests by route template, method and class of status, with the time until the response began.
///
/// Instruments are created once per route, so that a request costs a few atomic additions and no lookup.
public struct RequestMetrics: Sendable {
    private struct Instruments: Sendable {
        /// One counter for each class of status, from 1xx to 5xx.
        let requests: [Counter]
        let duration: Timer
    }

    private let routes: [Instruments]
    private let unmatched: Instruments
    private let totals: RequestTotalsCounter

    /// - Parameter routes: Templates of paths with their methods.
    public init(
        _ routes: [(path: String, method: String)], in registry: PrometheusRegistry, totals: RequestTotalsCounter
    ) {
        self.totals = totals
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
        self.routes = routes.map { instruments(route: $0.path, method: $0.method) }
        unmatched = instruments(route: "none", method: "any")
    }

    /// - Parameter index: The route's index among those passed to the initializer; nil for a request that matches none.
    public func record(route index: Int?, status: Int, duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        totals.record(status: status, nanoseconds: nanoseconds)
        let instruments = index.map { routes[$0] } ?? unmatched
        instruments.requests[min(max(status / 100, 1), 5) - 1].increment()
        instruments.duration.recordNanoseconds(nanoseconds)
    }
}
