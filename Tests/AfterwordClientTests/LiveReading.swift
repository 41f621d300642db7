import AfterwordClient
import Synchronization
import Testing

/// The live sequence with scripted streams: reconnections, endings, timeouts.
@Suite(.timeLimit(.minutes(15))) struct LiveReading {
    /// Answers the requests with the steps in order. A stream that is `open` stays open.
    private final class Streams: Transport {
        enum Step: Sendable {
            case stream([String], open: Bool = false)
            case response(Int, String, headers: [String: String] = [:])
            case refuse
        }

        private let state: Mutex<(steps: ArraySlice<Step>, requests: [TransportRequest])>
        private let closed = Atomic(0)

        init(_ steps: [Step]) { state = Mutex((steps[...], [])) }

        var requests: [TransportRequest] { state.withLock { $0.requests } }
        /// The number of open streams that the reader has closed.
        var closedStreams: Int { closed.load(ordering: .relaxed) }

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            let step = state.withLock { state in
                state.requests.append(request)
                return state.steps.popFirst()
            }
            switch step {
            case .stream(let chunks, let open):
                let (body, continuation) = AsyncThrowingStream.makeStream(of: String.self)
                for chunk in chunks { continuation.yield(chunk) }
                continuation.onTermination = { reason in
                    if case .cancelled = reason { self.closed.add(1, ordering: .relaxed) }
                }
                if open { retain(continuation) } else { continuation.finish() }
                return TransportResponse(
                    status: 200, headers: ["content-type": "text/event-stream"],
                    body: ByteChunks(body) { Array($0.utf8) })
            case .response(let status, let body, let headers):
                return TransportResponse(status: status, headers: headers, body: Array(body.utf8))
            case .refuse, nil: throw ScriptedTransport.Lost()
            }
        }

        private let openStreams = Mutex<[AsyncThrowingStream<String, any Error>.Continuation]>([])

        private func retain(_ continuation: AsyncThrowingStream<String, any Error>.Continuation) {
            openStreams.withLock { $0.append(continuation) }
        }
    }

    private static func event(_ revision: Int) -> String {
        """
        event: results
        id: \(revision)
        data: {"meetingId": "01020304-0506-0708-090a-0b0c0d0e0fab", "formId": "01020304-0506-0708-090a-0b0c0d0e0fab",
        data: "version": 1, "revision": \(revision), "updatedAt": "2026-11-21T09:30:00Z", "submissions": \(revision),
        data: "attended": 0, "questions": [], "changes": [], "changesCut": false, "new": {"field": 1}}


        """
    }

    private static func problem(_ code: String, _ status: Int) -> String {
        "{\"type\": \"/problems/\(code)\", \"title\": \"T\", \"status\": \(status), \"detail\": \"D\"}"
    }

    private let pauses = Pauses()

    private func live(_ streams: Streams, timeout: Duration = .seconds(300)) throws -> LiveResults {
        let id = try #require(ResourceID("01020304-0506-0708-090a-0b0c0d0e0fab"))
        return Afterword(url: "http://test", transport: streams, retries: pauses.policy()).host(token: "t")
            .liveResults(of: id, timeout: timeout)
    }

    @Test func brokenStreamResumesWhereItEnded() async throws {
        let streams = Streams([
            .stream(["retry: 3000\n\n", Self.event(7), "event: results\nid: 8\nda"]), .refuse,
            .response(503, Self.problem("overloaded", 503), headers: ["retry-after": "9"]),
            .stream([":\n\n", Self.event(9)], open: true),
        ])
        var last = 0
        for try await results in try live(streams) {
            last = results.revision
            if last == 9 { break }
        }
        #expect(last == 9)
        #expect(streams.requests.map { $0.headers["Last-Event-ID"] } == [nil, "7", "7", "7"])
        #expect(streams.requests.allSatisfy { $0.isLongLived && $0.headers["Authorization"] == "Bearer t" })
        #expect(pauses.durations == [3100, 3200, 9400].map { .milliseconds($0) })
    }

    @Test func slowReaderSkipsIntermediateResults() async throws {
        let streams = Streams([.stream((1...500).map(Self.event), open: true)])
        var iterator = try live(streams).makeAsyncIterator()
        var revisions: [Int] = []
        while revisions.last != 500 {
            revisions.append(try #require(try await iterator.next()).revision)
            // The reader spends a long time on each element.
            for _ in 0..<1000 { await Task.yield() }
        }
        #expect(revisions == revisions.sorted() && revisions.count < 500)
    }

    @Test func readerWithoutAccessGetsTheReason() async throws {
        let streams = Streams([.stream([Self.event(1), "event: end\ndata: \(Self.problem("unauthorized", 401))\n\n"])])
        let problem = try await refusal { for try await _ in try live(streams) {} }
        #expect(problem?.code == .unauthorized && problem?.status == 401 && problem?.detail == "D")
        #expect(streams.requests.count == 1)
    }

    @Test(arguments: [("unauthorized", 401), ("forbidden", 403), ("not-found", 404), ("share-ended", 410)])
    func refusedReconnectionIsNotRetried(code: String, status: Int) async throws {
        let streams = Streams([.stream([Self.event(1)]), .response(status, Self.problem(code, status))])
        let problem = try await refusal { for try await _ in try live(streams) {} }
        #expect(problem?.code.rawValue == code && streams.requests.count == 2)
    }

    @Test func reconnectionEndsWithTheTimeout() async throws {
        let streams = Streams([.stream([Self.event(1)])])
        await #expect(throws: AfterwordError.self) { for try await _ in try live(streams) {} }
        #expect(pauses.durations.reduce(.zero, +) <= .seconds(300) && pauses.durations.count > 20)
        let never = Streams([])
        await #expect(throws: AfterwordError.self) { for try await _ in try live(never, timeout: .zero) {} }
        #expect(never.requests.count == 1)
    }

    @Test func responseThatIsNotAStreamIsUnexpected() async throws {
        for step in [
            Streams.Step.response(200, "<html>"), .stream(["event: results\ndata: []\n\n"]), .response(302, ""),
        ] {
            let streams = Streams([step])
            await #expect(throws: AfterwordError.self) { for try await _ in try live(streams) {} }
            #expect(streams.requests.count == 1)
        }
    }

    @Test func errorOfAProxyIsReportedAfterTheTimeout() async throws {
        let streams = Streams([.response(502, "<html>"), .response(502, "<html>")])
        let error = await #expect(throws: AfterwordError.self) {
            for try await _ in try live(streams, timeout: .milliseconds(150)) {}
        }
        guard case .unexpected(502, _) = error else { throw try #require(error) }
        #expect(streams.requests.count == 2)
    }

    @Test func unknownEventsOfANewerServiceAreIgnored() async throws {
        let streams = Streams([.stream(["event: applause\ndata: 👏\n\n", Self.event(2)], open: true)])
        for try await results in try live(streams) {
            #expect(results.revision == 2)
            break
        }
    }

    @Test func endOfIterationClosesTheStream() async throws {
        let streams = Streams([.stream([Self.event(1)], open: true), .stream([Self.event(1)], open: true)])
        for try await _ in try live(streams) { break }
        try await until { streams.closedStreams == 1 }
        let (received, continuation) = AsyncStream.makeStream(of: Void.self)
        let reading = Task { [live = try live(streams)] in for try await _ in live { continuation.yield() } }
        for await _ in received { break }
        reading.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
        try await until { streams.closedStreams == 2 }
    }

    private func until(_ condition: () -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(20)
        while !condition(), ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(5)) }
        #expect(condition())
    }
}
