import Logging
import ServiceLifecycle
import Store

/// Sends due deliveries to webhooks until a graceful shutdown, which gives deliveries in flight two seconds to finish.
///
/// A webhook whose last delivery failed, or that has never accepted one, is served by a separate lane, so that
/// receivers that never respond do not delay the others. A webhook has at most one delivery in flight, and an account
/// at most two per lane.
public struct WebhookDeliverer: Service {
    /// The maximum number of deliveries in flight in each lane.
    static let healthyWidth = 6
    static let failingWidth = 4
    /// How long a shutdown waits for receivers that have not responded.
    static let shutdownTimeout: Duration = .seconds(2)

    private let store: Store
    private let sender: WebhookSender
    private let pause: Duration
    private let logger: Logger
    private let failure = RecurringFailure()

    /// - Parameter pause: The pause when no delivery is due.
    public init(store: Store, sender: WebhookSender, pause: Duration = .seconds(1), logger: Logger) {
        self.store = store
        self.sender = sender
        self.pause = pause
        self.logger = logger
    }

    public func run() async throws {
        await withTaskGroup(of: Part.self) { parts in
            parts.addTask { await runLane(failing: false, width: Self.healthyWidth) }
            parts.addTask { await runLane(failing: true, width: Self.failingWidth) }
            parts.addTask { await waitForShutdownDeadline() }
            var lanes = 2
            while lanes > 0 {
                // Deliveries without a response are sent again at the next start, as after a crash.
                if await parts.next() == .shutdownDeadline { break }
                lanes -= 1
            }
            parts.cancelAll()
        }
    }

    private enum Part {
        case lane, shutdownDeadline
    }

    private enum Turn {
        case delivered, waited
    }

    /// Keeps up to `width` deliveries in flight until a shutdown, and then waits for them. Pauses only while none is
    /// due.
    private func runLane(failing: Bool, width: Int) async -> Part {
        await withTaskGroup(of: Turn.self) { group in
            var inFlight = 0
            var isWaiting = false
            while !Task.isShuttingDownGracefully, !Task.isCancelled {
                if inFlight < width, let delivery = await claimNext(failing: failing) {
                    inFlight += 1
                    group.addTask {
                        await deliver(delivery)
                        return .delivered
                    }
                    continue
                }
                if !isWaiting {
                    isWaiting = true
                    group.addTask {
                        await waitUntilDue()
                        return .waited
                    }
                }
                switch await group.next() {
                case .delivered: inFlight -= 1
                case .waited, nil: isWaiting = false
                }
            }
            while inFlight > 0, let turn = await group.next() {
                if turn == .delivered { inFlight -= 1 }
            }
        }
        return .lane
    }

    /// Returns when `shutdownTimeout` has passed since the start of a graceful shutdown.
    private func waitForShutdownDeadline() async -> Part {
        try? await gracefulShutdown()
        if !Task.isCancelled { try? await Task.sleep(for: Self.shutdownTimeout) }
        return .shutdownDeadline
    }

    /// Claims the next delivery of this lane. If none is due in the lane of failing webhooks, claims one of the healthy
    /// lane.
    private func claimNext(failing: Bool) async -> WebhookQueue.Delivery? {
        if let delivery = await claim(failing: failing) { return delivery }
        return failing ? await claim(failing: false) : nil
    }

    func claim(failing: Bool) async -> WebhookQueue.Delivery? {
        do {
            let delivery = try await store.webhookQueue.claim(failing: failing)
            failure.ends()
            return delivery
        } catch {
            if failure.begins(), !Task.isCancelled {
                logger.warning("Reading webhook deliveries failed", metadata: ["error": "\(error)"])
            }
            return nil
        }
    }

    /// Sends the next due delivery. Returns false if there is none.
    func deliverNext(failing: Bool) async throws -> Bool {
        guard let delivery = try await store.webhookQueue.claim(failing: failing) else { return false }
        await deliver(delivery)
        return true
    }

    private func deliver(_ delivery: WebhookQueue.Delivery) async {
        let outcome = await sender.send(
            id: delivery.id, body: delivery.body, to: delivery.url, secret: delivery.secret, tries: delivery.tries)
        // After an interruption, the lease expires and the delivery is sent again.
        if Task.isCancelled { return }
        let metadata: Logger.Metadata = [
            "webhook": "\(delivery.webhookID)", "delivery": "\(delivery.id)", "tries": "\(delivery.tries)",
        ]
        do {
            switch outcome {
            case .accepted(let status):
                try await store.webhookQueue.succeeded(delivery, status: status)
                logger.debug("Webhook delivery succeeded", metadata: metadata)
            case .refused(let status, let reason):
                logger.info("Webhook delivery failed", metadata: metadata.merging(["reason": "\(reason)"]) { $1 })
                try await store.webhookQueue.failed(
                    delivery, status: status, reason: reason, chance: .random(in: 0...1))
            }
        } catch {
            logger.warning(
                "Storing the outcome of a webhook delivery failed",
                metadata: metadata.merging(["error": "\(error)"]) { $1 })
        }
    }

    /// Returns when a delivery is due, or at a shutdown.
    private func waitUntilDue() async {
        try? await cancelWhenGracefulShutdown {
            repeat { try await Task.sleep(for: pause) } while !(await store.dueWork.isDue(.webhooks, age: pause))
        }
    }
}
