import Domain
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Store

/// The search for the questions by which an anonymous form may be filtered is limited, and it delays no other requests.
@Suite(.timeLimit(.minutes(15))) struct SearchesForSafeFilters {
    private static let settings = #""anonymous": true, "minimumGroup": 3"#
    private static let questions = #"[{"key": "pace", "kind": "rating", "title": "P"}]"#

    /// A meeting whose form was read while it was open, and can be filtered once it is closed.
    private static func readMeeting(_ fixture: TestStore) async throws -> Meeting {
        let meeting = try await fixture.openMeeting(questions, settings: settings)
        try await fixture.submitPaces([1, 1, 1, 2, 2, 2], to: meeting)
        _ = try await fixture.store.results.read(meeting.form.id)
        return meeting
    }

    private static func closedMeeting(_ fixture: TestStore) async throws -> Meeting {
        let meeting = try await readMeeting(fixture)
        _ = try await fixture.store.forms.close(meetingID: meeting.id, by: fixture.host.account.id)
        return meeting
    }

    private static func filters(_ fixture: TestStore, _ safe: SafeFilters) -> Filters {
        Filters(
            source: fixture.store.readSource, cache: fixture.store.cache, histories: fixture.store.results.histories,
            permits: fixture.store.filterPermits, safeFilters: safe)
    }

    /// The problem with which a filter is refused; nil if it is allowed.
    private static func refusal(_ meeting: Meeting, _ filters: Filters) async throws -> ProblemCode? {
        try await problem { _ = try await filters.results(of: meeting, where: ["pace:1"]) }?.code
    }

    /// Two of four searches run, and each of them would take many seconds. On the threads of requests, they would leave
    /// none for other tasks on a machine with two processors.
    @Test func searchesLeaveTheThreadsOfRequestsFreeAndEndWhenCancelled() async throws {
        try await TestStore.run { fixture in
            let safe = SafeFilters(cache: fixture.store.cache, steps: .max)
            let evidence = FilterEvidence(
                revision: 1, minimum: CyclicForm.minimum, candidates: ["pace"], cells: CyclicForm.cells(groups: 4_000),
                seen: CyclicForm.seenStates(groups: 4_000))
            let searches = (0..<4).map { _ in
                Task { try await safe.search(evidence) { _ in throw CancellationError() } }
            }
            let end = ContinuousClock.now + .milliseconds(300)
            while .now < end { await Task { await Task.yield() }.value }
            #expect(safe.stepsTaken == 0, "other tasks run before a search is completed")
            for search in searches { search.cancel() }
            for search in searches {
                await #expect(throws: CancellationError.self) { _ = try await search.value }
            }
            #expect(safe.stepsTaken == 0, "no search is completed")
        }
    }

    @Test func exhaustedBudgetWithholdsFiltersAndIsRemembered() async throws {
        try await TestStore.run { fixture in
            let meeting = try await Self.closedMeeting(fixture)
            #expect(try await Self.refusal(meeting, fixture.store.filters) == nil)
            let safe = SafeFilters(cache: fixture.store.cache, steps: 20)
            let filters = Self.filters(fixture, safe)
            for turn in 0..<3 {
                #expect(try await Self.refusal(meeting, filters) == .groupTooSmall, "\(turn)")
                #expect(safe.stepsTaken == 20, "\(turn): a search is not repeated for the same state")
            }
            try await fixture.store.pool.execute(
                "UPDATE form_state SET revision = revision + 1 WHERE form_id = \(meeting.form.id)")
            #expect(try await Self.refusal(meeting, filters) == .groupTooSmall)
            #expect(safe.stepsTaken == 40, "another state is searched again")
        }
    }

    @Test func exhaustedBudgetWithholdsTheFiltersOfAFinalForm() async throws {
        try await TestStore.run { fixture in
            let meeting = try await Self.readMeeting(fixture)
            let safe = SafeFilters(cache: fixture.store.cache, steps: 20)
            let finalising = Finalising(
                pool: fixture.store.pool, sessionConfiguration: PostgresConfiguration(url: fixture.database.url),
                cache: fixture.store.cache, safeFilters: safe, logger: TestStore.silentLogger)
            _ = try await fixture.store.forms.finish(meetingID: meeting.id, by: fixture.host.account.id)
            try await eventually("the form is final without filters") {
                finalising.resume(ignoresPause: true)
                await finalising.waitUntilIdle()
                let rows = try await fixture.store.pool.query(
                    "SELECT concat_ws(' ', state, filterable) FROM form_state WHERE form_id = \(meeting.form.id)")
                return try rows.single().decode(String.self) == "final {}"
            }
            await finalising.close()
            #expect(safe.stepsTaken == 20)
            #expect(try await Self.refusal(meeting, fixture.store.filters) == .groupTooSmall)
        }
    }

    @Test func concurrentRequestsShareOneSearch() async throws {
        try await TestStore.run { fixture in
            let meeting = try await Self.closedMeeting(fixture)
            let (first, second) = (SafeFilters(cache: fixture.store.cache), SafeFilters(cache: fixture.store.cache))
            #expect(try await Self.refusal(meeting, Self.filters(fixture, first)) == nil)
            let filters = Self.filters(fixture, second)
            let requests = (1...5).map { pace in
                Task { try await filters.results(of: meeting, where: ["pace:\(pace)"]).results.submissions }
            }
            for (number, request) in requests.enumerated() {
                #expect(try await request.value == (number < 2 ? 3 : 0))
            }
            #expect(second.stepsTaken == first.stepsTaken && first.stepsTaken > 0)
        }
    }

    /// While another host's search runs, a filter waits without a permit and thus without a connection.
    @Test func filterThatWaitsForASearchHoldsNoConnection() async throws {
        try await TestStore.run { fixture in
            let meeting = try await Self.closedMeeting(fixture)
            let safe = fixture.store.safeFilters
            var turn: KeyedPermits<UUID>.Lease? = try await safe.turn(of: UUID())
            let waiting = Task {
                try await fixture.store.filters.results(of: meeting, where: ["pace:1"]).results.submissions
            }
            try await eventually("the filter waits for its turn") { safe.turns.keyCount == 2 }
            do {
                let permits = [
                    try await fixture.store.filterPermits.acquire(), try await fixture.store.filterPermits.acquire(),
                ]
                withExtendedLifetime(permits) {}
            }
            withExtendedLifetime(turn) {}
            turn = nil
            #expect(try await waiting.value == 3)
        }
    }
}
