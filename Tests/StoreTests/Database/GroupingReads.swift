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

    /// Reads the client of the current task. Each read waits until it is ended.
    private final class ClientSource: Sendable {
        private let reads = Mutex<[CheckedContinuation<Void, Never>]>([])

        var count: Int { reads.withLock(\.count) }

        func read() async -> DatabaseClient {
            await withCheckedContinuation { read in reads.withLock { $0.append(read) } }
            return .current
        }

        func end(_ index: Int) { reads.withLock { $0[index] }.resume() }
    }

    @Test func callersDoNotWaitForTheTurnOfAnotherClient() async throws {
        let (source, grouped) = (ClientSource(), GroupedReads<String, DatabaseClient>())
        let clients = (1...3).map { DatabaseClient.address("192.0.2.\($0)") }
        let request = { @Sendable (client: DatabaseClient) in
            client.start { Task { try await grouped.value(for: "key") { await source.read() } } }
        }
        let first = request(clients[0])
        while source.count < 1 { await Task.yield() }
        let second = request(clients[1])
        while source.count < 2 { await Task.yield() }
        let third = request(clients[0])
        while grouped.waitingCallers("key") < 1 { await Task.yield() }
        let others = [clients[1], clients[2]].map(request)
        while grouped.waitingCallers("key") < 3 { await Task.yield() }
        #expect(source.count == 2, "at most two reads of a value at a time")
        source.end(1)
        #expect(try await second.value == clients[1])
        while source.count < 3 { await Task.yield() }
        source.end(2)
        // The read before was for the second client.
        for other in others { #expect(try await other.value == clients[2]) }
        source.end(0)
        #expect(try await first.value == clients[0])
        while source.count < 4 { await Task.yield() }
        source.end(3)
        #expect(try await third.value == clients[0])
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
