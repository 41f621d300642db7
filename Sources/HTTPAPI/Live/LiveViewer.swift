import Foundation
import NIOCore
import Synchronization

/// One viewer of an event stream. It queues only the newest state, which replaces an older one that has not been
/// written, and in the same way the newest event that is no state.
///
/// Publishers queue a state and continue. Only the viewer's own task waits for the connection.
final class LiveViewer: Sendable {
    enum Next: Sendable {
        case bytes(ByteBuffer)
        /// The stream has ended, with these last bytes, if any.
        case end(ByteBuffer?)
    }

    private struct State {
        var newest: ByteBuffer?
        /// The newest event that is no state.
        var announcement: ByteBuffer?
        var isKeepAliveDue = false
        var isOver = false
        var closingEvent: ByteBuffer?
        /// When a state or a comment was last queued.
        var lastQueuedAt = ContinuousClock.now
        /// The task that waits in `next`.
        var waiting: CheckedContinuation<Void, Never>?

        /// Whether `next` returns without waiting.
        var isReady: Bool { isOver || newest != nil || announcement != nil || isKeepAliveDue }
    }

    /// The id of the request.
    let id: UUID
    let authorization: LiveAuthorization
    var hasAccount: Bool { if case .account = authorization { true } else { false } }
    private let scheduleClose: @Sendable () -> Void
    private let state = Mutex(State())

    /// - Parameter scheduleClose: Schedules the closing of the viewer's connection. Called once, when the stream is
    ///   ended, so it must leave the client time to read the last event.
    init(id: UUID, authorization: LiveAuthorization, scheduleClose: @escaping @Sendable () -> Void) {
        self.id = id
        self.authorization = authorization
        self.scheduleClose = scheduleClose
    }

    convenience init(_ request: APIRequest, authorization: LiveAuthorization) {
        let channel = request.channel
        self.init(id: request.id, authorization: authorization) {
            channel.eventLoop.scheduleTask(in: .seconds(3)) { channel.close(promise: nil) }
        }
    }

    /// Queues a state. It replaces one that has not been written yet.
    func offer(_ frame: ByteBuffer) {
        change { state in
            state.newest = frame
            state.lastQueuedAt = .now
        }
    }

    /// Queues an event that is no state. It replaces one that has not been written yet, and is written before a state.
    func announce(_ frame: ByteBuffer) {
        change { state in
            state.announcement = frame
            state.lastQueuedAt = .now
        }
    }

    /// Queues a comment if nothing was queued for this long.
    func keepAlive(after pause: Duration) {
        change { state in
            guard state.lastQueuedAt + pause <= .now else { return }
            state.lastQueuedAt = .now
            state.isKeepAliveDue = true
        }
    }

    /// Ends the stream. Only the closing event is still written, and the connection is closed a moment later even if
    /// the client has not read it.
    func end(_ closingEvent: ByteBuffer? = nil) {
        let isFirst = change { state in
            guard !state.isOver else { return false }
            state.isOver = true
            state.closingEvent = closingEvent
            state.newest = nil
            return true
        }
        if isFirst { scheduleClose() }
    }

    /// Ends the stream of a viewer who has disconnected.
    func leave() {
        change { $0.isOver = true }
    }

    /// Waits for something to write. Returns `.end` when the task is cancelled.
    func next() async -> Next {
        while true {
            if let ready = state.withLock({ Self.take(&$0) }) { return ready }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let isReady = state.withLock { state in
                        if state.isReady { return true }
                        state.waiting = continuation
                        return false
                    }
                    if isReady { continuation.resume() }
                }
            } onCancel: {
                leave()
            }
        }
    }

    private static func take(_ state: inout State) -> Next? {
        if state.isOver { return .end(state.closingEvent) }
        if let announcement = state.announcement {
            state.announcement = nil
            return .bytes(announcement)
        }
        if let newest = state.newest {
            state.newest = nil
            state.isKeepAliveDue = false
            return .bytes(newest)
        }
        guard state.isKeepAliveDue else { return nil }
        state.isKeepAliveDue = false
        return .bytes(EventFrame.keepAlive)
    }

    @discardableResult
    private func change<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        let (value, waiting) = state.withLock { state in
            let value = body(&state)
            guard state.isReady else {
                return (value, nil as CheckedContinuation<Void, Never>?)
            }
            let waiting = state.waiting
            state.waiting = nil
            return (value, waiting)
        }
        waiting?.resume()
        return value
    }
}
