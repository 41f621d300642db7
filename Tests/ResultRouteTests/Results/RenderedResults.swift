import Domain
import Foundation
import NIOCore
import Postgres
import Store
import TestSupport
import Testing

@testable import HTTPAPI

@Suite(.timeLimit(.minutes(5))) struct RenderedResults {
    /// Makes the values of a cache, and counts how many it has made.
    private final class Maker: Sendable {
        let made = Arrivals()

        func value(
            _ number: Int, of key: Int, in state: String, from cache: StateCache<Int, Int>, bytes: Int = 10_000,
            until mayBeMade: @escaping @Sendable () -> Bool = { true }
        ) async throws -> Int {
            let state = ResultsState(revision: 0, rest: state)
            return try await cache.value(of: key, in: state) { [made] in
                made.add()
                try await eventually("the value may be made") { mayBeMade() }
                return .init(value: number, state: state, bytes: bytes)
            }
        }
    }

    @Test func leastRecentlyUsedResultsAreEvicted() async throws {
        let cache = StateCache<Int, Int>(capacity: 10, maxBytes: 90_000)
        let maker = Maker()
        /// Whether the value was kept.
        func isKept(_ key: Int, bytes: Int = 24_000) async throws -> Bool {
            let before = maker.made.count
            #expect(try await maker.value(key, of: key, in: "a", from: cache, bytes: bytes) == key)
            return maker.made.count == before
        }
        for key in 1...3 { #expect(try await !isKept(key)) }
        for key in [2, 3, 1] { #expect(try await isKept(key)) }
        #expect(try await !isKept(4), "a fourth value, for which another is evicted")
        for key in [1, 3, 4] { #expect(try await isKept(key)) }
        #expect(try await !isKept(5, bytes: 100_000))
        #expect(try await !isKept(5, bytes: 100_000), "a value larger than the cache is not kept")
        for key in [1, 3, 4] { #expect(try await isKept(key)) }
        #expect(try await !isKept(2), "the least recently used value was evicted")
    }

    @Test func valueOfAnotherStateIsNotReturned() async throws {
        let cache = StateCache<Int, Int>(capacity: 10, maxBytes: 90_000)
        let maker = Maker()
        #expect(try await maker.value(1, of: 1, in: "a", from: cache) == 1)
        #expect(try await maker.value(2, of: 1, in: "b", from: cache) == 2)
        #expect(try await maker.value(3, of: 1, in: "b", from: cache) == 2)
        #expect(try await maker.value(4, of: 2, in: "b", from: cache) == 4)
    }

    @Test func failureIsNotKept() async throws {
        let cache = StateCache<Int, Int>(capacity: 10, maxBytes: 90_000)
        await #expect(throws: Problem.self) {
            _ = try await cache.value(of: 1, in: ResultsState(revision: 0, rest: "a")) { throw Problem(.notFound) }
        }
        #expect(try await Maker().value(2, of: 1, in: "a", from: cache) == 2)
    }

    @Test func concurrentReadersOfAStateShareOneValue() async throws {
        let cache = StateCache<Int, Int>(capacity: 10, maxBytes: 90_000)
        let (maker, begun) = (Maker(), Arrivals())
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<64 {
                group.addTask {
                    begun.add()
                    return try await maker.value(number, of: 1, in: "a", from: cache) { begun.count == 64 }
                }
            }
            let values = try await group.reduce(into: Set<Int>()) { $0.insert($1) }
            #expect(values.count == 1)
        }
        #expect(maker.made.count == 1)
    }

    /// The first value is not complete before all later states have been requested.
    @Test func callersForLaterStatesShareTheNewestValue() async throws {
        let cache = StateCache<Int, Int>(capacity: 10, maxBytes: 90_000)
        let (made, begun, newest) = (Arrivals(), Arrivals(), 20)
        /// Results that are read show all answers that were given before.
        @Sendable func value(
            atLeast revision: Int, until isComplete: @escaping @Sendable () -> Bool
        ) async throws -> Int {
            try await cache.value(of: 1, in: ResultsState(revision: revision, rest: "open")) {
                made.add()
                let shown = made.count == 1 ? 1 : newest
                try await eventually("the value may be complete") { isComplete() }
                return .init(value: shown, state: ResultsState(revision: shown, rest: "open"), bytes: 1)
            }
        }
        async let first = value(atLeast: 1) { begun.count == newest - 1 }
        try await eventually("the first value is being made") { made.count == 1 }
        try await withThrowingTaskGroup(of: Int.self) { group in
            for revision in 2...newest {
                group.addTask {
                    begun.add()
                    return try await value(atLeast: revision) { true }
                }
            }
            for try await shown in group { #expect(shown == newest) }
        }
        #expect(try await first == 1)
        #expect(made.count == 2)
        #expect(try await value(atLeast: 7) { true } == newest, "a newer value is as good")
        #expect(made.count == 2)
    }

    @Test func valueWithAnotherFormOrMeetingIsNotReturned() async throws {
        let cache = StateCache<Int, Int>(capacity: 10, maxBytes: 90_000)
        let states = [ResultsState(revision: 5, rest: "open"), ResultsState(revision: 4, rest: "closed")]
        for (number, state) in states.enumerated() {
            let value = try await cache.value(of: 1, in: state) { .init(value: number, state: state, bytes: 1) }
            #expect(value == number)
        }
    }

    /// The tallies are locked, so that the readers overlap.
    @Test func concurrentReadersOfANewRevisionShareOneReading() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            let reader = ResultReader(store: fixture.store)
            for pace in 1...3 {
                _ = try await fixture.submit("{\"pace\": \(pace)}", to: meeting)
                let current = try await fixture.store.meetings.require(meeting.id, by: fixture.host)
                let holder = try await Connection.connect(PostgresConfiguration(url: fixture.database.url))
                try await holder.script("BEGIN; LOCK TABLE tally IN ACCESS EXCLUSIVE MODE")
                let begun = Arrivals()
                let bodies = try await withThrowingTaskGroup(of: ResultReader.Rendered.self) { group in
                    for _ in 0..<64 {
                        group.addTask {
                            begun.add()
                            return try await reader.read(current)
                        }
                    }
                    try await fixture.database.waitUntilBlocked(1)
                    try await eventually("all readers have started") { begun.count == 64 }
                    try await holder.script("ROLLBACK")
                    return try await group.reduce(into: [:]) { $0[ObjectIdentifier($1.body)] = $1 }
                }
                await holder.close()
                #expect(bodies.count == 1, "all get the same body")
                #expect(bodies.values.first?.revision == current.form.resultsRevision)
                let text = bodies.values.first.map { String(buffer: $0.body.bytes) }
                #expect(text?.contains("\"submissions\":\(pace)") == true)
            }
        }
    }
}
