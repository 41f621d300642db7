import Dispatch
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
        try await eventually("two jobs wait") { work.waiting >= 2 }
        // `enqueue` does not wait, so a missing limit fails the test instead of hanging it.
        try #require(!work.enqueue {})
        await #expect(throws: BlockingWork.Overloaded.self) { try await work.run { true } }
        gate.signal()
        #expect(try await blocked.value)
        for (index, task) in accepted.enumerated() { #expect(try await task.value == index) }
        #expect(try await work.run { "free again" } == "free again")
    }
}
