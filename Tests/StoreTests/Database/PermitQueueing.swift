import Domain
import Synchronization
import TestSupport
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(2))) struct PermitQueueing {
    private final class Order: Sendable {
        private let numbers = Mutex<[Int]>([])
        var all: [Int] { numbers.withLock { $0 } }
        func append(_ number: Int) { numbers.withLock { $0.append(number) } }
    }

    private final class Running: Sendable {
        private let count = Atomic(0)
        func begin() -> Int { count.wrappingAdd(1, ordering: .relaxed).newValue }
        func end() { count.wrappingSubtract(1, ordering: .relaxed) }
    }

    private static func acquire(_ semaphore: Semaphore, _ timeout: Duration = .seconds(60)) async throws -> Permit {
        try await semaphore.acquire(within: timeout, else: "All are in use.", retryAfter: 3)
    }

    /// Starts a task that waits for a permit, records its number and releases the permit. Returns once the task waits.
    private static func enqueue(
        _ number: Int, _ semaphore: Semaphore, _ order: Order
    ) async throws -> Task<Void, any Error> {
        let before = semaphore.waitingCount
        let task = Task {
            let permit = try await acquire(semaphore)
            order.append(number)
            withExtendedLifetime(permit) {}
        }
        try await eventually("task \(number) waits") { semaphore.waitingCount > before }
        return task
    }

    @Test func waitingTasksAreServedInTheOrderOfTheirArrival() async throws {
        let semaphore = Semaphore(1)
        var permit = try await Self.acquire(semaphore) as Permit?
        let order = Order()
        var tasks: [Task<Void, any Error>] = []
        for number in 1...5 { tasks.append(try await Self.enqueue(number, semaphore, order)) }
        #expect(semaphore.tryAcquire() == nil)
        #expect(permit != nil)
        permit = nil
        for task in tasks { try await task.value }
        #expect(order.all == [1, 2, 3, 4, 5])
        #expect(semaphore.tryAcquire() != nil)
    }

    @Test func taskThatWaitsTooLongIsRefusedAndLeavesTheQueue() async throws {
        let semaphore = Semaphore(2)
        let permits = [try await Self.acquire(semaphore), try await Self.acquire(semaphore)]
        let refused = await #expect(throws: Problem.self) { try await Self.acquire(semaphore, .milliseconds(30)) }
        #expect(refused?.code == .overloaded && refused?.retryAfter == 3)
        #expect(semaphore.waitingCount == 0)
        withExtendedLifetime(permits) {}
    }

    @Test func cancelledTaskLeavesTheQueueAndLaterTasksAreServed() async throws {
        let semaphore = Semaphore(1)
        var permit = try await Self.acquire(semaphore) as Permit?
        let order = Order()
        let cancelled = try await Self.enqueue(1, semaphore, order)
        let next = try await Self.enqueue(2, semaphore, order)
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(permit != nil)
        permit = nil
        try await next.value
        #expect(order.all == [2])
        #expect(semaphore.tryAcquire() != nil)
    }

    @Test func noPermitIsLostWhenManyTasksGiveUp() async throws {
        let semaphore = Semaphore(3)
        let running = Running()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<400 {
                group.addTask {
                    guard let permit = try? await Self.acquire(semaphore, .milliseconds(number % 7)) else { return }
                    #expect(running.begin() <= 3)
                    try? await Task.sleep(for: .milliseconds(1))
                    running.end()
                    withExtendedLifetime(permit) {}
                }
                if number % 5 == 0 { await Task.yield() }
            }
        }
        let permits = (0..<3).map { _ in semaphore.tryAcquire() }
        #expect(permits.allSatisfy { $0 != nil })
        #expect(semaphore.tryAcquire() == nil && semaphore.waitingCount == 0)
    }
}
