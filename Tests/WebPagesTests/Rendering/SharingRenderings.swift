import Testing

@testable import WebPages

/// Simultaneous requests share one rendering of a page.
@Suite(.timeLimit(.minutes(1))) struct SharingRenderings {
    private struct Failure: Error {}

    private let renderings = SharedRendering<String, Int>()

    /// Waits until a value is being made and this number of other callers wait for it.
    private func wait(for key: String, callers count: Int) async {
        while renderings.waitingCount(for: key) != count { await Task.yield() }
    }

    @Test func callersWhoComeMeanwhileGetTheSameValue() async throws {
        let (release, releases) = AsyncStream<Void>.makeStream()
        let first = Task { [renderings] in
            try await renderings.value(for: "a") {
                for await _ in release { break }
                return 1
            }
        }
        await wait(for: "a", callers: 0)
        let others = (0..<5).map { _ in Task { [renderings] in try await renderings.value(for: "a") { 2 } } }
        await wait(for: "a", callers: 5)
        #expect(try await renderings.value(for: "b") { 3 } == 3, "another page does not wait")
        releases.yield()
        for task in [first] + others { #expect(try await task.value == 1) }
        #expect(renderings.waitingCount(for: "a") == nil)
        #expect(try await renderings.value(for: "a") { 4 } == 4, "a value is not kept")
    }

    @Test func waitingCallerMakesTheValueAfterAnError() async throws {
        let (release, releases) = AsyncStream<Void>.makeStream()
        let first = Task { [renderings] in
            try await renderings.value(for: "a") { () -> Int in
                for await _ in release { break }
                throw Failure()
            }
        }
        await wait(for: "a", callers: 0)
        let others = (0..<3).map { _ in Task { [renderings] in try await renderings.value(for: "a") { 2 } } }
        await wait(for: "a", callers: 3)
        releases.yield()
        await #expect(throws: Failure.self) { try await first.value }
        for task in others { #expect(try await task.value == 2) }
        #expect(try await renderings.value(for: "a") { 3 } == 3)
    }

    @Test func everyCallerGetsItsOwnError() async throws {
        struct Refusal: Error, Equatable { let caller: Int }
        let (release, releases) = AsyncStream<Void>.makeStream()
        let callers = (0..<5).map { caller in
            Task { [renderings] in
                try await renderings.value(for: "a") { () -> Int in
                    for await _ in release { break }
                    throw Refusal(caller: caller)
                }
            }
        }
        await wait(for: "a", callers: 4)
        releases.finish()
        for (caller, task) in callers.enumerated() {
            await #expect(throws: Refusal(caller: caller)) { try await task.value }
        }
        #expect(renderings.waitingCount(for: "a") == nil)
    }

    @Test func nextCallerMakesTheValueIfTheFirstIsCancelled() async throws {
        let first = Task { [renderings] in
            try await renderings.value(for: "a") {
                try await Task.sleep(for: .seconds(600))
                return 1
            }
        }
        await wait(for: "a", callers: 0)
        let others = (0..<3).map { _ in Task { [renderings] in try await renderings.value(for: "a") { 2 } } }
        await wait(for: "a", callers: 3)
        first.cancel()
        for task in others { #expect(try await task.value == 2) }
        await #expect(throws: CancellationError.self) { try await first.value }
    }
}
