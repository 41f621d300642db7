import Testing

@testable import Postgres

@Suite struct PoolStateTransitions {
    private static let gone = PostgresError(.connectionFailed, "gone")
    private static let never = PostgresError(.timeout, "not notified")

    /// A pool that has lent one connection and pauses after a failed attempt at a second one; one caller waits.
    private func afterAFailure(
        at now: ContinuousClock.Instant, _ continuation: PoolState.Waiter.Continuation
    ) -> PoolState {
        var state = PoolState(size: 2)
        guard case .wait(connecting: 1) = state.claim(now: now) else {
            Issue.record("The first caller begins a connection.")
            return state
        }
        state.connected()
        guard case .wait(connecting: 1) = state.claim(now: now) else {
            Issue.record("The second caller begins another.")
            return state
        }
        state.waiters.append(.init(id: 1, continuation: continuation, timer: Task {}))
        #expect(state.failed(Self.gone, now: now).isEmpty, "one connection is left to wait for")
        return state
    }

    @Test func waitersFailWhenTheLastConnectionIsLostDuringAPause() async {
        let now = ContinuousClock.now
        let outcome = await withCheckedContinuation { continuation in
            var state = afterAFailure(at: now, continuation)
            let (connecting, refused, error) = state.discard(now: now)
            #expect(connecting == 0)
            for waiter in refused { waiter.resume(.failure(error ?? Self.never)) }
            for waiter in state.waiters { waiter.resume(.failure(Self.never)) }
        }
        guard case .failure(Self.gone) = outcome else {
            Issue.record("It ended otherwise: \(outcome)")
            return
        }
    }

    @Test func connectionForWaitersIsOpenedAfterThePause() async {
        let now = ContinuousClock.now
        _ = await withCheckedContinuation { continuation in
            var state = afterAFailure(at: now, continuation)
            let (connecting, refused, error) = state.discard(now: now + .seconds(2))
            #expect(connecting == 1 && refused.isEmpty && error == nil)
            for waiter in state.waiters { waiter.resume(.failure(Self.never)) }
        }
    }
}
