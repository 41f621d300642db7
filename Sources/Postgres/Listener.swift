import CLibPQ
import Logging
import Synchronization

/// The notifications of the given channels, received on a dedicated connection that is re-established when it is lost.
///
/// The event `.refresh` means that notifications may have been missed, so the observed data has to be read again. It
/// occurs at the beginning, after each reconnection, and when the buffer overflows because the reader is too slow.
public struct Listener: AsyncSequence, Sendable {
    public enum Event: Sendable, Equatable {
        case refresh
        case notification(channel: String, payload: String)
    }

    public typealias Element = Event
    public typealias Failure = Never

    let configuration: PostgresConfiguration
    let channels: [String]
    /// The number of events that wait for a slow reader.
    let bufferSize: Int

    public init(_ configuration: PostgresConfiguration, channels: [String], bufferSize: Int = 1024) {
        self.configuration = configuration
        self.channels = channels
        self.bufferSize = Swift.max(2, bufferSize)
    }

    public func makeAsyncIterator() -> AsyncStream<Event>.Iterator {
        let (events, continuation) = AsyncStream.makeStream(
            of: Event.self, bufferingPolicy: .bufferingNewest(bufferSize))
        let listening = Task { await listen(continuation) }
        continuation.onTermination = { _ in listening.cancel() }
        return events.makeAsyncIterator()
    }

    private func listen(_ events: AsyncStream<Event>.Continuation) async {
        var backoff = Backoff(first: .milliseconds(50), longest: .seconds(2))
        while !Task.isCancelled {
            do {
                let connection = try await Connection.connect(configuration)
                for channel in channels { try await connection.execute("LISTEN \(identifier: channel)") }
                events.yield(.refresh)
                backoff.reset()
                while true {
                    for event in try await connection.notifications() {
                        // If an event was dropped from the buffer, `.refresh` replaces it.
                        if case .dropped = events.yield(event) { events.yield(.refresh) }
                    }
                }
            } catch {
                if Task.isCancelled { break }
                configuration.logger.warning("Listening to the database failed", metadata: ["error": "\(error)"])
                try? await Task.sleep(for: backoff.next())
            }
        }
        events.finish()
    }
}

extension Connection {
    /// Waits for notifications on the connection's thread. Throws `.cancelled` if the task is cancelled.
    fileprivate func notifications() async throws(PostgresError) -> [Listener.Event] {
        let interrupt = try Interrupt()
        let outcome = await withTaskCancellationHandler {
            perform { () throws(PostgresError) in try receive(interrupt) }
        } onCancel: {
            interrupt.signal()
        }
        updateStatus()
        return try outcome.get()
    }

    private func receive(_ interrupt: Interrupt) throws(PostgresError) -> [Listener.Event] {
        var events: [Listener.Event] = []
        while true {
            while let (channel, payload) = session.notification() {
                events.append(.notification(channel: channel, payload: payload))
            }
            if !events.isEmpty { return events }
            if Task.isCancelled { throw .cancelled }
            if session.waitForInput(or: interrupt.descriptor), !session.consume() {
                throw PostgresError(.connectionLost, "the server closed the connection")
            }
        }
    }
}

/// A pipe that wakes up a thread waiting in `poll`.
private final class Interrupt: Sendable {
    /// The descriptor to poll; readable after `signal()`.
    let descriptor: Int32
    private let writeDescriptor: Int32

    init() throws(PostgresError) {
        var ends: [Int32] = [-1, -1]
        guard shim_pipe(&ends) == 0 else { throw PostgresError(.connectionFailed, "creating a pipe failed") }
        (descriptor, writeDescriptor) = (ends[0], ends[1])
    }

    deinit {
        CLibPQ.close(descriptor)
        CLibPQ.close(writeDescriptor)
    }

    func signal() {
        var byte: UInt8 = 1
        _ = write(writeDescriptor, &byte, 1)
    }
}
