import Testing

@testable import Postgres

@Suite struct PoolStateTransitions {
    private static let unreachable = PostgresError(.connectionFailed, "unreachable")
    private static let notResumed = PostgresError(.timeout, "not resumed")

    /// A pool that has lent one connection and pauses after it failed to open a second one. One caller waits.
    private func stateAfterAFailure(
        at now: ContinuousClock.Instant, _ continuation: PoolState.Waiter.Continuation
    ) -> PoolState {
        var state = PoolState(size: 2)
        guard case .wait(connecting: 1) = state.claim(now: now) else {
            Issue.record("The first caller did not start a connection.")
            return state
        }
        state.connected()
        guard case .wait(connecting: 1) = state.claim(now: now) else {
            Issue.record("The second caller did not start another connection.")
            return state
        }
        state.waiters.append(.init(id: 1, client: .service, continuation: continuation, timer: Task {}))
        #expect(state.failed(Self.unreachable, now: now).isEmpty, "the caller can wait for the lent connection")
        return state
    }

    @Test func waitersFailWhenTheLastConnectionIsLostDuringAPause() async {
        let now = ContinuousClock.now
        let outcome = await withCheckedContinuation { continuation in
            var state = stateAfterAFailure(at: now, continuation)
            let (connecting, refused, error) = state.discard(now: now)
            #expect(connecting == 0)
            for waiter in refused { waiter.resume(.failure(error ?? Self.notResumed)) }
            for waiter in state.waiters.removeAll() { waiter.resume(.failure(Self.notResumed)) }
        }
        guard case .failure(Self.unreachable) = outcome else {
            Issue.record("Unexpected outcome: \(outcome)")
            return
        }
    }

    @Test func connectionForWaitersIsOpenedAfterThePause() async {
        let now = ContinuousClock.now
        _ = await withCheckedContinuation { continuation in
            var state = stateAfterAFailure(at: now, continuation)
            let (connecting, refused, error) = state.discard(now: now + .seconds(2))
            #expect(connecting == 1 && refused.isEmpty && error == nil)
            for waiter in state.waiters.removeAll() { waiter.resume(.failure(Self.notResumed)) }
        }
    }
}
