import AfterwordClient
import Synchronization

/// A transport that follows a script, one step for each request, and records the requests.
final class ScriptedTransport: Transport {
    enum Step: Sendable {
        case response(Int, headers: [String: String] = [:], body: String = "{}")
        /// The request fails without arriving.
        case refuse
        /// There is no connection, and the transport reports that nothing was sent.
        case unsent
        /// Another transport sends the request, and its response is lost.
        case lose
        /// Another transport sends the request, and the body of the response breaks off.
        case breakOff
        /// The request is passed on.
        case pass
        /// The request waits until it is cancelled.
        case hang

        static func problem(_ code: String, _ status: Int, after: String? = nil) -> Step {
            var headers = ["content-type": "application/problem+json"]
            headers["retry-after"] = after
            return .response(
                status, headers: headers,
                body: "{\"type\": \"/problems/\(code)\", \"title\": \"T\", \"status\": \(status)}")
        }
    }

    struct Lost: Error {}

    private struct State {
        var steps: ArraySlice<Step>
        var requests: [TransportRequest] = []
    }

    private let state: Mutex<State>
    private let base: (any Transport)?

    /// - Parameter base: the transport for requests that are passed on, and for all requests after the last step.
    init(_ steps: [Step], over base: (any Transport)? = nil) {
        state = Mutex(State(steps: steps[...]))
        self.base = base
    }

    var requests: [TransportRequest] { state.withLock { $0.requests } }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let step = state.withLock { state in
            state.requests.append(request)
            return state.steps.popFirst()
        }
        switch step {
        case .response(let status, let headers, let body):
            return TransportResponse(status: status, headers: headers, body: Array(body.utf8))
        case .refuse: throw Lost()
        case .unsent: throw RequestNotSent(Lost())
        case .lose:
            let response = try await base?.send(request)
            if let response { for try await _ in response.body {} }
            throw Lost()
        case .breakOff:
            let response = try await base?.send(request)
            if let response { for try await _ in response.body {} }
            return TransportResponse(status: response?.status ?? 200, body: Self.truncatedBody())
        case .hang:
            try await Task.sleep(for: .seconds(3600))
            throw Lost()
        case .pass, nil:
            guard let base else { throw Lost() }
            return try await base.send(request)
        }
    }

    private static func truncatedBody() -> ByteChunks {
        let stream = AsyncThrowingStream<[UInt8], any Error> { continuation in
            continuation.yield(Array("{\"id\":".utf8))
            continuation.finish(throwing: Lost())
        }
        return ByteChunks(stream) { $0 }
    }
}

/// Records the pauses between retries instead of waiting.
final class Pauses: Sendable {
    private let recorded = Mutex<[Duration]>([])

    var durations: [Duration] { recorded.withLock { $0 } }

    /// - Parameter chance: the random part of the jitter, from 0 to 1.
    func policy(tries: Int = 5, time: Duration = .seconds(30), chance: Double = 0) -> RetryPolicy {
        RetryPolicy(
            tries: tries, timeout: time, sleep: { pause in self.recorded.withLock { $0.append(pause) } },
            random: { chance })
    }
}
