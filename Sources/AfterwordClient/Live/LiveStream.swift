import Contract
import Foundation

/// A stream of states: the current one first, then the newest after each change.
///
/// A slow reader skips intermediate states, but always gets the latest. The stream reconnects after a lost connection.
/// It throws an ``AfterwordProblem`` if the reader loses access, and the error of the last attempt if nothing arrives
/// for longer than `timeout`. The transport drops a connection that is silent for a minute. Leaving the loop or
/// cancelling its task closes the stream; a cancelled loop throws `CancellationError`.
///
/// ```swift
/// for try await results in host.liveResults(of: meeting.id) { chart = results.questions }
/// ```
public struct LiveStream<Value: Codable & Sendable>: AsyncSequence, Sendable {
    public typealias Element = Value

    private let connection: Connection
    /// The request that opens the stream, or the error that occurred when it was created.
    private let request: Result<TransportRequest, any Error>
    /// The type of the events that contain a state.
    private let event: String
    private let timeout: Duration

    init(
        _ connection: Connection, _ request: @autoclosure () throws -> TransportRequest, event: String,
        timeout: Duration
    ) {
        self.connection = connection
        self.event = event
        self.timeout = timeout
        self.request = Result { try request() }.map { request in
            var request = request
            request.isLongLived = true
            request.headers["Accept"] = "text/event-stream"
            return request
        }
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var base: AsyncThrowingStream<Value, any Error>.Iterator

        public mutating func next() async throws -> Value? {
            if let value = try await base.next() { return value }
            // The stream ends only if the task was cancelled.
            try Task.checkCancellation()
            return nil
        }
    }

    public func makeAsyncIterator() -> AsyncIterator {
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: Value.self, bufferingPolicy: .bufferingNewest(1))
        let reading = Task {
            do {
                try await read { continuation.yield($0) }
            } catch {
                continuation.finish(throwing: error)
            }
        }
        continuation.onTermination = { _ in reading.cancel() }
        return AsyncIterator(base: stream.makeAsyncIterator())
    }

    /// Never returns. Throws the error that ends the stream.
    private func read(_ yield: (Value) -> Void) async throws -> Never {
        let clock = ContinuousClock()
        var lastReceived = clock.now
        // The pauses since then. They count in full, even if a test's `sleep` returns immediately.
        var waited = Duration.zero
        var failures = 0
        var parser = ServerSentEventParser()
        while true {
            var failure: any Error = AfterwordError.unexpected(status: nil, "The stream ended.")
            var retryAfter: Duration?
            do {
                var request = try self.request.get()
                if !parser.lastID.isEmpty { request.headers["Last-Event-ID"] = parser.lastID }
                let body = try await openStream(request)
                parser.reconnect()
                for try await chunk in body {
                    (lastReceived, waited, failures) = (clock.now, .zero, 0)
                    for event in try parser.read(chunk) {
                        if let value = try state(event) { yield(value) }
                    }
                }
            } catch let problem as AfterwordProblem {
                guard [408, 429, 502, 503, 504].contains(problem.status) else { throw problem }
                (failure, retryAfter) = (problem, problem.retryAfter)
            } catch let unreachable as Unreachable {
                failure = AfterwordError.unexpected(status: unreachable.status, "The service is unreachable.")
            } catch let error as AfterwordError {
                throw error
            } catch {
                failure = AfterwordError.transport((error as? RequestNotSent)?.reason ?? error)
            }
            if Task.isCancelled { throw CancellationError() }
            failures += 1
            let pause =
                Swift.max(retryAfter ?? .zero, parser.retry ?? .zero) + connection.retries.pause(after: failures)
            guard Swift.max(clock.now - lastReceived, waited) + pause <= timeout else { throw failure }
            try await connection.retries.sleep(pause)
            waited += pause
        }
    }

    /// The response of a proxy that can't reach the service.
    private struct Unreachable: Error {
        let status: Int
    }

    /// Opens the stream and returns its body. Throws if the response is not an event stream.
    private func openStream(_ request: TransportRequest) async throws -> ByteChunks {
        let response = try await connection.transport.send(request)
        if response.status == 200, response.headers["content-type"]?.hasPrefix("text/event-stream") == true {
            return response.body
        }
        let body = try await response.body.collect(upTo: Connection.largestResponse)
        if let problem = AfterwordProblem(status: response.status, headers: response.headers, body: body) {
            throw problem
        }
        if [502, 503, 504].contains(response.status) {
            throw Unreachable(status: response.status)
        }
        throw AfterwordError.unexpected(status: response.status, "The response is not an event stream.")
    }

    /// Returns nil for event types of newer services. Throws for an `end` event.
    private func state(_ event: ServerSentEvent) throws -> Value? {
        let bytes = Array(event.data.utf8)
        if event.type == "end" {
            throw AfterwordProblem(status: nil, headers: [:], body: bytes)
                ?? AfterwordError.unexpected(status: nil, "The stream ended without a reason.") as any Error
        }
        guard event.type == self.event else { return nil }
        return try Reply(status: 200, headers: [:], body: bytes).value()
    }
}

public typealias LiveResults = LiveStream<Results>
