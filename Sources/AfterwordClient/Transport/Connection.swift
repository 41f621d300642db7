import Contract
import StrictJSON

/// Sends requests to one service and retries them.
struct Connection: Sendable {
    /// The largest accepted response body, in bytes.
    static let largestResponse = 64 << 20

    let url: String
    let transport: any Transport
    let retries: RetryPolicy

    /// Returns the first successful response with its complete body. Throws if the request is refused, or if the last
    /// allowed attempt fails.
    func reply(to request: TransportRequest, _ idempotency: Endpoint.Idempotency) async throws -> Reply {
        try await retrying(request, idempotency) { response in
            Reply(
                status: response.status, headers: response.headers,
                body: try await response.body.collect(upTo: Self.largestResponse))
        }
    }

    /// Returns the first successful response before its body has arrived.
    func stream(_ request: TransportRequest, _ idempotency: Endpoint.Idempotency) async throws -> TransportResponse {
        try await retrying(request, idempotency) { $0 }
    }

    private func retrying<Value: Sendable>(
        _ request: TransportRequest, _ idempotency: Endpoint.Idempotency,
        _ read: @Sendable (TransportResponse) async throws -> Value
    ) async throws -> Value {
        let clock = ContinuousClock()
        let start = clock.now
        // Pauses count in full, even if a test's `sleep` returns immediately.
        var slept = Duration.zero
        var tries = 0
        var responseWasLost = false
        while true {
            tries += 1
            try Task.checkCancellation()
            let failure: any Error
            let retryAfter: Duration?
            do {
                let response = try await transport.send(request)
                if response.isSuccess { return try await read(response) }
                let error = try await Self.failure(response)
                let problem = error as? AfterwordProblem
                let reason = responseWasLost ? problem?.afterLoss(of: request, idempotency) ?? error : error
                guard Self.mayBeRetried(response.status, idempotency) else { throw Refused(reason: reason) }
                responseWasLost = responseWasLost || Self.mayHaveBeenApplied(response.status, problem)
                (failure, retryAfter) = (reason, problem?.retryAfter)
            } catch let refused as Refused {
                throw refused.reason
            } catch {
                if error is CancellationError || Task.isCancelled { throw CancellationError() }
                if error is AfterwordError { throw error }
                let unsent = error as? RequestNotSent
                failure = AfterwordError.transport(unsent?.reason ?? error)
                retryAfter = nil
                guard idempotency != .notIdempotent else { throw failure }
                responseWasLost = responseWasLost || unsent == nil
            }
            let elapsed = max(clock.now - start, slept)
            guard let pause = retries.next(after: tries, elapsed: elapsed, retryAfter: retryAfter) else {
                throw failure
            }
            try await retries.sleep(pause)
            slept += pause
        }
    }

    /// A failure that must not be retried. It leaves the retry loop.
    private struct Refused: Error {
        let reason: any Error
    }

    /// Whether a request may be retried after this status. 408 and 429 mean that the request was not processed. After
    /// 502, 503 and 504 that is unknown.
    private static func mayBeRetried(_ status: Int, _ idempotency: Endpoint.Idempotency) -> Bool {
        switch status {
        case 408, 429: true
        case 502, 503, 504: idempotency != .notIdempotent
        default: false
        }
    }

    private static func failure(_ response: TransportResponse) async throws -> any Error {
        let body = try await response.body.collect(upTo: largestResponse)
        return AfterwordProblem(status: response.status, headers: response.headers, body: body)
            ?? AfterwordError.unexpected(status: response.status, "The response is not from an Afterword service.")
    }

    /// Whether the request may have been processed. An overloaded service rejects requests before processing them. A
    /// service that lost its database, or a proxy that lost its service, can't know.
    private static func mayHaveBeenApplied(_ status: Int, _ problem: AfterwordProblem?) -> Bool {
        [502, 503, 504].contains(status) && problem?.code != .overloaded
    }
}

extension AfterwordProblem {
    /// The error for a retry that was refused after an earlier response was lost. The refusal may be caused by the
    /// earlier attempt's own change or by someone else's, so the outcome is uncertain.
    fileprivate func afterLoss(
        of request: TransportRequest, _ idempotency: Endpoint.Idempotency
    ) -> any Error {
        guard request.method != "GET" else { return self }
        return switch status {
        case 401, 403, 404, 408, 410, 412, 429: AfterwordError.uncertain(self)
        // The service checks the idempotency key before anything else, and replays the response to an earlier attempt.
        // So a 409 is never caused by an earlier attempt if the request had a key.
        case 409 where idempotency == .idempotent: AfterwordError.uncertain(self)
        default: self
        }
    }
}

extension TransportResponse {
    /// 303 and 304 count as success, because they are sent only where the caller handles them.
    fileprivate var isSuccess: Bool { (200..<300).contains(status) || status == 303 || status == 304 }
}

extension Connection: CustomReflectable {
    /// Leaves out the transport: its connections change on other threads while `dump` reads them, which can crash.
    var customMirror: Mirror { Mirror(self, children: ["url": url]) }
}
