import Synchronization
import TestSupport
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(1))) struct GroupingReads {
    private struct Unreadable: Error {}

    /// Reads a number that grows with each read. A read waits until `endOneRead` is called. The third read fails.
    private final class Source: Sendable {
        private let reads = Atomic(0)
        private let (ends, end) = AsyncStream<Void>.makeStream()

        var count: Int { reads.load(ordering: .relaxed) }

        func read() async throws -> Int {
            let number = reads.add(1, ordering: .relaxed).newValue
            for await _ in ends { break }
            if number == 3 { throw Unreadable() }
            return number
        }

        func endOneRead() { end.yield() }

        func untilReading(_ number: Int) async {
            while count < number { await Task.yield() }
        }
    }

    @Test func callersShareAReadThatBeganAfterTheirCall() async throws {
        let (source, grouped) = (Source(), GroupedReads<String, Int>())
        async let first = grouped.value(for: "key") { try await source.read() }
        await source.untilReading(1)
        let others = (0..<20).map { _ in
            Task { try await grouped.value(for: "key") { try await source.read() } }
        }
        while grouped.waitingCallers("key") < 20 { await Task.yield() }
        #expect(source.count == 1, "no caller starts a read while another read is running")
        source.endOneRead()
        #expect(try await first == 1)
        await source.untilReading(2)
        source.endOneRead()
        for other in others { #expect(try await other.value == 2) }
        #expect(source.count == 2)
        // The third read fails, and the next caller starts a new one.
        source.endOneRead()
        await #expect(throws: Unreadable.self) { try await grouped.value(for: "key") { try await source.read() } }
        source.endOneRead()
        #expect(try await grouped.value(for: "key") { try await source.read() } == 4)
    }

    @Test func keysAreReadIndependently() async throws {
        let (source, grouped) = (Source(), GroupedReads<String, Int>())
        async let first = grouped.value(for: "one") { try await source.read() }
        await source.untilReading(1)
        #expect(try await grouped.value(for: "two") { 7 } == 7)
        source.endOneRead()
        #expect(try await first == 1)
    }

    @Test func cancelledCallerDoesNotEndTheReadOfOthers() async throws {
        let (source, grouped) = (Source(), GroupedReads<String, Int>())
        let first = Task { try await grouped.value(for: "key") { try await source.read() } }
        await source.untilReading(1)
        let second = Task { try await grouped.value(for: "key") { try await source.read() } }
        while grouped.waitingCallers("key") < 1 { await Task.yield() }
        first.cancel()
        source.endOneRead()
        await source.untilReading(2)
        source.endOneRead()
        #expect(try await second.value == 2)
    }
}
