import Foundation
import Logging
import ServiceLifecycle
import Store
import Synchronization

/// Notifies webhooks of changed results, regardless of the instance on which they changed. There is a minimum interval
/// between the notifications about a form, but the last change is always sent. All forms with a subscribed webhook are
/// checked periodically, in case a notification between instances was lost.
public struct ResultPublisher: Service {
    private final class ChangedForms: Sendable {
        private struct State {
            var forms: Set<UUID> = []
            /// Set at the start, and whenever notifications may have been missed.
            var includesAll = true
        }

        private let state = Mutex(State())

        func add(_ forms: Set<UUID>) { state.withLock { $0.forms.formUnion(forms) } }
        func addAll() { state.withLock { $0.includesAll = true } }

        func take() -> (forms: Set<UUID>, includesAll: Bool) {
            state.withLock { state in
                defer { state = State(forms: [], includesAll: false) }
                return (state.forms, state.includesAll)
            }
        }
    }

    private let store: Store
    private let events: ResultEvents
    private let pause: Duration
    private let catchUp: Duration
    private let logger: Logger
    private let changed = ChangedForms()
    private let failure = RecurringFailure()

    /// - Parameters:
    ///   - interval: The minimum number of seconds between two notifications about the same form.
    ///   - pause: How often the received changes are processed.
    ///   - catchUp: How often all forms with a subscribed webhook are checked.
    public init(
        store: Store, interval: Double = 10, pause: Duration = .seconds(1), catchUp: Duration = .seconds(60),
        logger: Logger
    ) {
        self.store = store
        events = store.resultEvents(interval: interval)
        self.pause = pause
        self.catchUp = catchUp
        self.logger = logger
    }

    public func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await listen() }
                group.addTask { await publish() }
            }
        }
    }

    private func listen() async {
        for await change in store.formChanges {
            switch change {
            case .refresh: changed.addAll()
            case .form(let id): changed.add([id])
            }
        }
    }

    private func publish() async {
        var next = ContinuousClock.now
        while !Task.isCancelled {
            if ContinuousClock.now >= next {
                changed.addAll()
                next = .now + catchUp
            }
            await publishChanged()
            try? await Task.sleep(for: pause)
        }
    }

    /// Publishes the changes received so far. Forms that could not be published yet are tried again the next time.
    func publishChanged() async {
        var (forms, includesAll) = changed.take()
        do {
            if includesAll { forms.formUnion(try await events.pending()) }
            includesAll = false
            changed.add(try await events.publish(forms))
            failure.ends()
        } catch {
            changed.add(forms)
            if includesAll { changed.addAll() }
            if Task.isCancelled { return }
            guard failure.begins() else { return }
            logger.warning("Notifying webhooks of changed results failed", metadata: ["error": "\(error)"])
        }
    }
}
