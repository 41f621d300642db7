import NIOCore
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One reader of an event stream: the newest state that was not written yet, and nothing before it.
///
/// Whoever has news leaves it here and goes on; only the reader's own task waits for the reader's connection.
final class LiveViewer: Sendable {
    enum Next: Sendable {
        case bytes(ByteBuffer)
        /// The last bytes, if there are any.
        case end(ByteBuffer?)
    }

    private struct State {
        var newest: ByteBuffer?
        var wantsComment = false
        var isOver = false
        var closingEvent: ByteBuffer?
        /// When something was left here.
        var lastWrite = ContinuousClock.now
        var waiting: CheckedContinuation<Void, Never>?
    }

    /// The request's.
    let id: UUID
    let ground: LiveAuthorization
    private let cutOff: @Sendable () -> Void
    private let state = Mutex(State())

    /// - Parameter cutOff: closes the connection of a reader who was sent the last, in a moment.
    init(id: UUID, ground: LiveAuthorization, cutOff: @escaping @Sendable () -> Void) {
        self.id = id
        self.ground = ground
        self.cutOff = cutOff
    }

    convenience init(_ request: APIRequest, ground: LiveAuthorization) {
        let channel = request.channel
        self.init(id: request.id, ground: ground) {
            channel.eventLoop.scheduleTask(in: .seconds(3)) { channel.close(promise: nil) }
        }
    }

    /// Takes the place of what the reader has not taken yet.
    func offer(_ frame: ByteBuffer) {
        change { state in
            state.newest = frame
            state.lastWrite = .now
        }
    }

    /// Leaves a comment where nothing was left for so long.
    func comment(after pause: Duration) {
        change { state in
            guard state.lastWrite + pause <= .now else { return }
            state.lastWrite = .now
            state.wantsComment = true
        }
    }

    /// Nothing is written after this but `farewell`. A reader who does not take that in time is cut off.
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

    /// The reader has gone.
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
