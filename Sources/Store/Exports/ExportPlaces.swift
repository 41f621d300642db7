import Domain
import Foundation
import Synchronization

/// The right to write one export, until it is deallocated.
public final class ExportPermit: Sendable {
    private let places: ExportPlaces
    private let id: Int

    fileprivate init(_ places: ExportPlaces, _ id: Int) { (self.places, self.id) = (places, id) }

    deinit { places.leave(id) }

    /// Runs `write`, which waits for the reader of the export. A reader that takes too long may be disconnected.
    public func writing(isolation: isolated (any Actor)? = #isolation, _ write: () async throws -> Void) async throws {
        places.setWriting(true, id)
        defer { places.setWriting(false, id) }
        try await write()
    }
}

/// The places of the exports that are written at the same time.
///
/// An account may use two places, but the last one only if it has no other. A place that becomes free passes to an
/// account without an export before others. While an export waits for a place, those whose reader takes nothing for
/// seconds lose theirs, so that a few accounts that read slowly don't keep all others waiting.
final class ExportPlaces: Sendable {
    private struct Running {
        var account: UUID?
        var disconnect: (@Sendable () -> Void)?
        /// The time since which the export waits for its reader; nil if it doesn't.
        var writingSince: ContinuousClock.Instant?
    }

    private struct Waiting {
        var id: Int
        var account: UUID?
        var disconnect: (@Sendable () -> Void)?
        var continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var running: [Int: Running] = [:]
        /// The oldest first.
        var waiting: [Waiting] = []
        var lastID = 0

        func runningCount(of account: UUID?) -> Int {
            account == nil ? 0 : running.values.count { $0.account == account }
        }
    }

    private let count: Int
    private let countPerAccount: Int
    /// How long a reader may take nothing while another export waits.
    private let stallLimit: Duration
    private let state = Mutex(State())

    init(_ count: Int, perAccount: Int, stallLimit: Duration) {
        (self.count, countPerAccount, self.stallLimit) = (count, perAccount, stallLimit)
    }

    /// Waits for a place. Throws 503 if none becomes free before the timeout.
    ///
    /// - Parameters:
    ///   - account: The requesting account; nil for the command line.
    ///   - disconnect: Ends the connection to the reader, and with it the export.
    func acquire(
        for account: UUID?, within timeout: Duration, disconnect: (@Sendable () -> Void)?
    ) async throws -> ExportPermit {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let isAdmitted = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isAdmitted: Bool? = state.withLock { state in
                    if Task.isCancelled { return false }
                    if isFree(for: account, in: state) {
                        state.running[id] = Running(account: account, disconnect: disconnect)
                        return true
                    }
                    state.waiting.append(
                        Waiting(id: id, account: account, disconnect: disconnect, continuation: continuation))
                    return nil
                }
                if let isAdmitted { return continuation.resume(returning: isAdmitted) }
                Task { await watch(id, until: .now + timeout) }
            }
        } onCancel: {
            stopWaiting(id)
        }
        if isAdmitted { return ExportPermit(self, id) }
        try Task.checkCancellation()
        let isOwn = state.withLock { $0.runningCount(of: account) > 0 }
        throw Problem(
            .overloaded,
            isOwn
                ? "You are downloading other files: try again when they are complete."
                : "Other exports are being written; try again later.",
            retryAfter: 5)
    }

    /// The number of exports that wait for a place.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// The number of exports whose reader has taken nothing for too long.
    var stalledCount: Int {
        state.withLock { state in state.running.values.count { isStalled($0) } }
    }

    fileprivate func setWriting(_ isWriting: Bool, _ id: Int) {
        state.withLock { $0.running[id]?.writingSince = isWriting ? .now : nil }
    }

    fileprivate func leave(_ id: Int) {
        let admitted = state.withLock { state -> [Waiting] in
            state.running[id] = nil
            var admitted: [Waiting] = []
            while let index = next(in: state) {
                let waiting = state.waiting.remove(at: index)
                state.running[waiting.id] = Running(account: waiting.account, disconnect: waiting.disconnect)
                admitted.append(waiting)
            }
            return admitted
        }
        for waiting in admitted { waiting.continuation.resume(returning: true) }
    }

    private func isFree(for account: UUID?, in state: State) -> Bool {
        let (free, own) = (count - state.running.count, state.runningCount(of: account))
        return own == 0 ? free > 0 : own < countPerAccount && free > 1
    }

    /// The waiting export that is admitted next: the oldest of an account without an export, or else the oldest.
    private func next(in state: State) -> Int? {
        let admissible = state.waiting.indices.filter { isFree(for: state.waiting[$0].account, in: state) }
        return admissible.first { state.runningCount(of: state.waiting[$0].account) == 0 } ?? admissible.first
    }

    private func isStalled(_ running: Running) -> Bool {
        running.writingSince.map { .now - $0 >= stallLimit } ?? false
    }

    /// Disconnects stalled readers while the export waits, and ends its waiting at the deadline.
    private func watch(_ id: Int, until deadline: ContinuousClock.Instant) async {
        while state.withLock({ $0.waiting.contains { $0.id == id } }) {
            guard .now < deadline else { return stopWaiting(id) }
            disconnectStalledReader(for: id)
            try? await Task.sleep(for: .milliseconds(100))
        }
    }

    /// Disconnects the reader that has taken nothing for the longest time, unless the waiting export's account has places
    /// of its own.
    private func disconnectStalledReader(for id: Int) {
        let disconnect = state.withLock { state -> (@Sendable () -> Void)? in
            guard let waiting = state.waiting.first(where: { $0.id == id }),
                state.runningCount(of: waiting.account) == 0,
                let stalled = state.running.filter({ isStalled($0.value) && $0.value.disconnect != nil })
                    .min(by: { $0.value.writingSince ?? .now < $1.value.writingSince ?? .now })
            else { return nil }
            state.running[stalled.key]?.disconnect = nil
            return stalled.value.disconnect
        }
        disconnect?()
    }

    private func stopWaiting(_ id: Int) {
        let waiting = state.withLock { state in
            state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0) }
        }
        waiting?.continuation.resume(returning: false)
    }
}
