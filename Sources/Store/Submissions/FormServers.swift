import Foundation
import Logging
import Synchronization

/// Which of the workers that receive submissions without the coordinator has a form.
///
/// This is read when a form's first submission arrives, and again every `lifetime`, because forms may be moved. Until
/// it is known, submissions use the coordinator. A worker that gets a submission to a form of another worker passes it
/// on, so that outdated knowledge costs time, but no submission.
final class FormServers: Sendable {
    /// How long the knowledge about a form is used.
    static let lifetime: Duration = .seconds(10)
    /// How long a worker is not used after it has failed. Submissions then use the coordinator, which may know better.
    static let pause: Duration = .seconds(5)
    private static let maxFormsPerRead = 1000

    private struct Knowledge {
        /// Nil for the coordinator.
        var worker: Int?
        var readAt: ContinuousClock.Instant
    }

    private struct State {
        var unread: Set<UUID> = []
        var beingRead: Set<UUID> = []
        var isReading = false
        var pauseEnds: [Int: ContinuousClock.Instant] = [:]
    }

    private let known = LRUCache<UUID, Knowledge>(capacity: 100_000, maxBytes: 100_000)
    private let state = Mutex(State())
    private let logger: Logger
    private let read: @Sendable ([UUID]) async throws -> [UUID: Int]

    /// - Parameter read: Returns the workers of forms. Forms of other servers are missing.
    init(logger: Logger, read: @escaping @Sendable ([UUID]) async throws -> [UUID: Int]) {
        self.logger = logger
        self.read = read
    }

    /// The worker to which a submission is sent; nil for the coordinator.
    func worker(of form: UUID) -> Int? {
        let knowledge = known.find(form)
        if knowledge.map({ .now - $0.readAt > Self.lifetime }) ?? true { request(form) }
        guard let worker = knowledge?.worker else { return nil }
        let pauseEnd = state.withLock { $0.pauseEnds[worker] }
        return pauseEnd.map { $0 > .now } == true ? nil : worker
    }

    /// Begins a pause of a worker that has failed.
    func avoid(_ worker: Int) {
        let wasUsed = state.withLock { state in
            let end = state.pauseEnds.updateValue(.now + Self.pause, forKey: worker)
            return end.map { $0 <= .now } ?? true
        }
        if wasUsed {
            logger.warning(
                "A worker failed, so submissions to its forms use the coordinator for some seconds",
                metadata: ["worker": "\(worker + 1)"])
        }
    }

    private func request(_ form: UUID) {
        let mustStart = state.withLock { state in
            guard !state.beingRead.contains(form) else { return false }
            state.unread.insert(form)
            defer { state.isReading = true }
            return !state.isReading
        }
        if mustStart { Task { await readRequested() } }
    }

    private func readRequested() async {
        while let forms = next() {
            var workers: [UUID: Int]?
            do {
                workers = try await read(forms)
            } catch {
                logger.warning("Finding the workers of forms failed", metadata: ["error": "\(error)"])
            }
            for form in forms {
                // After a failure, what was known is used until the next attempt.
                let worker = if let workers { workers[form] } else { known.find(form)?.worker }
                known.insert(Knowledge(worker: worker, readAt: .now), for: form, bytes: 1)
            }
        }
    }

    /// The forms to be read next; nil if there are none, which ends the reading.
    private func next() -> [UUID]? {
        state.withLock { state in
            let forms = Array(state.unread.prefix(Self.maxFormsPerRead))
            state.beingRead = Set(forms)
            state.unread.subtract(forms)
            state.isReading = !forms.isEmpty
            return forms.isEmpty ? nil : forms
        }
    }
}
