import Synchronization

/// The cancellation of a request for work on another thread, where `Task.isCancelled` is not available.
final class WorkCancellation: Sendable {
    private let flag = Atomic(false)

    var isCancelled: Bool { flag.load(ordering: .relaxed) }

    func cancel() { flag.store(true, ordering: .relaxed) }

    func check() throws(CancellationError) {
        if isCancelled { throw CancellationError() }
    }
}
