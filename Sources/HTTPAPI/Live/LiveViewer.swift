import NIOCore
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One reader of an event stream, with the newest state that has not been written yet; it replaces older ones.
///
/// Publishers store a state here and continue; only the reader's own task waits for the connection.
final class LiveViewer: Sendable {
    enum Next: Sendable {
        case bytes(ByteBuffer)
        /// The last bytes, if any.
        case end(ByteBuffer?)
    }

    private struct State {
        var newest: ByteBuffer?
        var wantsComment = false
        var isOver = false
        var closingEvent: ByteBuffer?
        /// When something was last stored here.
        var lastWrite = ContinuousClock.now
        var waiting: CheckedContinuation<Void, Never>?
    }

    /// The id of the request.
    let id: UUID
    let authorization: LiveAuthorization
    private let cutOff: @Sendable () -> Void
    private let state = Mutex(State())

    /// - Parameter cutOff: Closes the connection of a reader who was sent the last event, after a moment.
    init(id: UUID, authorization: LiveAuthorization, cutOff: @escaping @Sendable () -> Void) {
        self.id = id
        self.authorization = authorization
        self.cutOff = cutOff
    }

    convenience init(_ request: APIRequest, authorization: LiveAuthorization) {
        let channel = request.channel
        self.init(id: request.id, authorization: authorization) {
            channel.eventLoop.scheduleTask(in: .seconds(3)) { channel.close(promise: nil) }
        }
    }

    /// Replaces the state that the reader has not received yet.
    func offer(_ frame: ByteBuffer) {
        change { state in
            state.newest = frame
            state.lastWrite = .now
        }
    }

    /// Stores a comment if nothing was stored for this long.
    func comment(after pause: Duration) {
        change { state in
            guard state.lastWrite + pause <= .now else { return }
            state.lastWrite = .now
            state.wantsComment = true
        }
    }

    /// Nothing is written after this except the closing event. The connection of a reader that does not read it in time
    /// is closed.
    func end(_ closingEvent: ByteBuffer? = nil) {
        let isFirst = change { state in
            guard !state.isOver else { return false }
            state.isOver = true
            state.closingEvent = closingEvent
            state.newest = nil
            return true
        }
        if isFirst { cutOff() }
    }

    /// The reader has disconnected.
    func leave() {
        change { $0.isOver = true }
    }

    /// Waits for something to write; ends when the task is cancelled.
    func next() async -> Next {
        while true {
            if let ready = state.withLock({ Self.take(&$0) }) { return ready }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let isReady = state.withLock { state in
                        if state.isOver || state.newest != nil || state.wantsComment { return true }
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
        if let newest = state.newest {
            state.newest = nil
            state.wantsComment = false
            return .bytes(newest)
        }
        guard state.wantsComment else { return nil }
        state.wantsComment = false
        return .bytes(EventFrame.comment)
    }

    @discardableResult
    private func change<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        let (value, waiting) = state.withLock { state in
            let value = body(&state)
            guard state.isOver || state.newest != nil || state.wantsComment else {
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
