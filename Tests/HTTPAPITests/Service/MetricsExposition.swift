import HTTPAPI
import HTTPServer
import Metrics
import NIOCore
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct MetricsExposition {
    @Test func requestsAreCountedByTemplateAndNeverByPath() async throws {
        let registry = PrometheusRegistry()
        let operations = Route.operations(metrics: MetricsText(registry), document: OpenAPIDocument.load) { nil }
        try await LiveServer.run(SampleAPI.api(adding: operations, metrics: registry)) { client, _ in
            for word in ["one", "two"] { _ = try await client.get("/words/\(word)") }
            _ = try await client.get("/words/%ff")
            _ = try await client.get("/broken")
            let response = try await client.get("/metrics")
            #expect(response["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
            let lines = response.text.split(separator: "\n")
            #expect(lines.contains(#"http_requests_total{method="GET",route="/words/{word}",status="2xx"} 2"#))
            #expect(lines.contains(#"http_requests_total{method="GET",route="/broken",status="5xx"} 1"#))
            #expect(lines.contains(#"http_requests_total{method="any",route="none",status="4xx"} 1"#))
            #expect(lines.contains(#"http_request_duration_seconds_count{method="GET",route="/words/{word}"} 2"#))
            #expect(!response.text.contains("/words/one"))
            for line in lines { #expect(Self.isWellFormed(line), "\(line)") }
        }
    }

    @Test func histogramsAreCumulative() {
        let registry = PrometheusRegistry(buckets: [0.1, 1])
        let timer = Timer(label: "wait.seconds", factory: registry)
        for nanoseconds in [50_000_000, 100_000_000, 500_000_000, 3_000_000_000] as [Int64] {
            timer.recordNanoseconds(nanoseconds)
        }
        #expect(
            registry.exposition() == """
                # TYPE wait_seconds histogram
                wait_seconds_bucket{le="0.1"} 2
                wait_seconds_bucket{le="1"} 3
                wait_seconds_bucket{le="+Inf"} 4
                wait_seconds_sum 3.65
                wait_seconds_count 4

                """)
    }

    @Test func gaugesAndCountersAreExposed() {
        let registry = PrometheusRegistry()
        Counter(label: "a", factory: registry).increment(by: 2)
        Counter(label: "a", factory: registry).increment()
        let meter = Meter(label: "b", factory: registry)
        meter.set(5)
        meter.decrement(by: 1.5)
        Gauge(label: "c", dimensions: [("z", "1"), ("y", "2")], factory: registry).record(-7)
        FloatingPointCounter(label: "d", factory: registry).increment(by: 0.5)
        let lines = registry.exposition().split(separator: "\n")
        #expect(lines.contains("a 3") && lines.contains("b 3.5") && lines.contains(#"c{y="2",z="1"} -7"#))
        #expect(lines.contains("# TYPE b gauge"))
    }

    @Test func labelsAreEscapedAndNamesSanitized() {
        let registry = PrometheusRegistry()
        Counter(label: "9 lives", dimensions: [("why not", "a\"b\\c\nd")], factory: registry).increment()
        #expect(registry.exposition().contains(#"_9_lives{why_not="a\"b\\c\nd"} 1"#))
    }

    @Test func nameHasOnlyOneMetricType() {
        let registry = PrometheusRegistry()
        Counter(label: "a", factory: registry).increment()
        Meter(label: "a", dimensions: [("x", "y")], factory: registry).set(9)
        Meter(label: "a", factory: registry).set(9)
        #expect(registry.exposition() == "# TYPE a counter\na 1\n")
    }

    @Test func textIsRenderedAgainAfterItsLifetime() {
        let registry = PrometheusRegistry()
        let counter = Counter(label: "a", factory: registry)
        let text = MetricsText(registry, lifetime: .seconds(1)) { counter.increment() }
        let start = ContinuousClock.now
        #expect(text.text(at: start) == ByteBuffer(string: "# TYPE a counter\na 1\n"))
        #expect(text.text(at: start + .milliseconds(999)) == ByteBuffer(string: "# TYPE a counter\na 1\n"))
        #expect(text.text(at: start + .seconds(1)) == ByteBuffer(string: "# TYPE a counter\na 2\n"))
    }

    @Test func readersOfASecondShareOneText() async throws {
        let registry = PrometheusRegistry()
        let renderings = Atomic(0)
        let text = MetricsText(registry, lifetime: .seconds(3600)) { renderings.wrappingAdd(1, ordering: .relaxed) }
        let operations = Route.operations(metrics: text, document: OpenAPIDocument.load) { nil }
        try await LiveServer.run(SampleAPI.api(adding: operations, metrics: registry)) { client, _ in
            let first = try await client.get("/metrics")
            let head = try await client.send("HEAD", "/metrics")
            #expect(head.body.isEmpty && head["Content-Length"] == "\(first.body.count)")
            try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<20 { group.addTask { try await client.get("/metrics").text } }
                for try await text in group { #expect(text == first.text) }
            }
            let count = renderings.load(ordering: .relaxed)
            #expect(count == 1)
        }
    }

    /// `name{label="value",…} number`, or a comment.
    private static func isWellFormed(_ line: Substring) -> Bool {
        let sample = /[a-zA-Z_:][a-zA-Z0-9_:]*(\{([a-z_]+="[^"\n]*",?)*\})? [-+0-9.eInf]+/
        return line.hasPrefix("# TYPE ") || line.wholeMatch(of: sample) != nil
    }
}
