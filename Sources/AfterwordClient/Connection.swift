import Contract
import StrictJSON

/// A service's address and how it is called.
struct Connection: Sendable {
    static let largestAnswer = 64 << 20

    let url: String
    let transport: any Transport
    let retries: RetryPolicy

    /// The whole answer, after as many tries as are allowed; whatever is not a success is thrown.
    func reply(to request: TransportRequest, _ repetition: Endpoint.Repetition) async throws -> Reply {
        try await repeating(request, repetition) { response in
            Reply(
                status: response.status, headers: response.headers,
                body: try await response.body.collect(upTo: Self.largestAnswer))
        }
    }

    /// The answer with its body still to come.
    func stream(_ request: TransportRequest, _ repetition: Endpoint.Repetition) async throws -> TransportResponse {
        try await repeating(request, repetition) { $0 }
    }

    private func repeating<Answer: Sendable>(
        _ request: TransportRequest, _ repetition: Endpoint.Repetition,
        _ read: @Sendable (TransportResponse) async throws -> Answer
    ) async throws -> Answer {
        let clock = ContinuousClock()
        let start = clock.now
        var slept = Duration.zero
        var tries = 0
        var wasLost = false
        while true {
            tries += 1
            try Task.checkCancellation()
            let failure: any Error
            let asked: Duration?
            do {
                let response = try await transport.send(request)
                if response.isSuccess { return try await read(response) }
                // An earlier try has deleted it.
                if wasLost, request.method == "DELETE", [404, 410].contains(response.status) {
                    return try await read(TransportResponse(status: 204))
                }
                let problem = try await Self.failure(response)
                let answer = Self.judge(problem, wasLost: wasLost)
                guard Self.mayPass(response.status, repetition) else { throw Refused(answer) }
                (failure, asked) = (answer, (problem as? AfterwordProblem)?.retryAfter)
            } catch let refused as Refused {
                throw refused.reason
            } catch {
                if error is CancellationError || Task.isCancelled { throw CancellationError() }
                if error is AfterwordError { throw error }
                guard repetition != .once else { throw AfterwordError.transport(error) }
                wasLost = true
                (failure, asked) = (AfterwordError.transport(error), nil)
            }
            let elapsed = max(clock.now - start, slept)
            guard let pause = retries.next(after: tries, elapsed: elapsed, asked: asked) else { throw failure }
            try await retries.sleep(pause)
            slept += pause
        }
    }

    /// A refusal that no repetition changes, on its way out.
    private struct Refused: Error {
        let reason: any Error

        init(_ reason: any Error) { self.reason = reason }
    }

    /// A limit and a request that did not arrive whole were refused before anything was done; of the others it is not
    /// known.
    private static func mayPass(_ status: Int, _ repetition: Endpoint.Repetition) -> Bool {
        switch status {
        case 408, 429: true
        case 502, 503, 504: repetition != .once
        default: false
        }
    }

    private static func failure(_ response: TransportResponse) async throws -> any Error {
        let body = try await response.body.collect(upTo: largestAnswer)
        return AfterwordProblem(status: response.status, headers: response.headers, body: body)
            ?? AfterwordError.unexpected(status: response.status, "The answer is none of this service's.")
    }

    /// After a lost answer, a failed condition says no more than that the thing has changed, perhaps by ourselves.
    private static func judge(_ error: any Error, wasLost: Bool) -> any Error {
        guard wasLost, let problem = error as? AfterwordProblem, problem.code == .preconditionFailed else {
            return error
        }
        return AfterwordError.uncertain(problem)
    }
}

extension TransportResponse {
    /// 303 and 304 too: they come only where they are understood.
    fileprivate var isSuccess: Bool { (200..<300).contains(status) || status == 303 || status == 304 }
}
