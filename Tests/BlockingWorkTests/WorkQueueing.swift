import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import BlockingWork

@Suite struct WorkQueueing {
    @Test func excessWorkIsRefusedAndAcceptedWorkIsDone() async throws {
        let work = BlockingWork("test", maximumRunning: 1, maximumWaiting: 2)
        // A job occupies the only thread until the gate is signalled.
        let gate = DispatchSemaphore(value: 0)
        let begun = DispatchSemaphore(value: 0)
        let blocked = Task {
            try await work.run {
                begun.signal()
                gate.wait()
                return true
            }
        }
        try await BlockingWork("test.begun", maximumRunning: 1, maximumWaiting: 0).run { begun.wait() }
        let accepted = (0..<2).map { index in Task { try await work.run { index } } }
        defer { gate.signal() }
        try await eventually("two jobs wait") { work.waitingCount >= 2 }
        // `enqueue` does not wait, so a missing limit fails the test instead of hanging it.
        try #require(!work.enqueue {})
        await #expect(throws: BlockingWork.Overloaded.self) { try await work.run { true } }
        gate.signal()
        #expect(try await blocked.value)
        for (index, task) in accepted.enumerated() { #expect(try await task.value == index) }
        #expect(try await work.run { "free again" } == "free again")
    }

    @Test func jobsOfDifferentKeysTakeTurns() async throws {
        let work = BlockingWork("test", maximumRunning: 1, maximumWaiting: 10)
        let gate = DispatchSemaphore(value: 0)
        let order = Mutex<[String]>([])
        try #require(work.enqueue(for: "a") { gate.wait() })
        for job in ["a1", "a2", "a3", "b1", "b2", "c1"] {
            try #require(work.enqueue(for: String(job.prefix(1))) { order.withLock { $0.append(job) } })
        }
        gate.signal()
        try await eventually("all jobs ran") { order.withLock { $0.count } == 6 }
        #expect(order.withLock { $0 } == ["a1", "b1", "c1", "a2", "b2", "a3"])
        #expect(work.waitingCount == 0)
    }

    @Test func oneKeyCannotFillTheQueue() async throws {
        let work = BlockingWork("test", maximumRunning: 1, maximumWaiting: 5, maximumWaitingPerKey: 2)
        let gate = DispatchSemaphore(value: 0)
        defer { gate.signal() }
        try #require(work.enqueue(for: "a") { gate.wait() })
        let accepted = ["a", "a", "a", "b", "b", "b", "c", "c", "d"].map { work.enqueue(for: $0) {} }
        try #require(accepted == [true, true, false, true, true, false, true, false, false])
        await #expect(throws: BlockingWork.Overloaded.self) { try await work.run(for: "a") {} }
    }

    @Test func jobsLeaveTheThreadsOfTheCooperativePoolFree() async throws {
        let count = 2 * ProcessInfo.processInfo.activeProcessorCount + 2
        let work = BlockingWork("test", maximumRunning: count, maximumWaiting: 0)
        let otherTasks = Arrivals()
        let end = ContinuousClock.now + .seconds(30)
        // Each job computes until other tasks have run, at most until `end`.
        let jobs = (0..<count).map { _ in
            Task {
                try await work.run {
                    while otherTasks.count == 0, .now < end {}
                    return otherTasks.count > 0
                }
            }
        }
        for _ in 0..<100 { await Task.detached { await Task.yield() }.value }
        otherTasks.add()
        for job in jobs { #expect(try await job.value) }
    }
}
