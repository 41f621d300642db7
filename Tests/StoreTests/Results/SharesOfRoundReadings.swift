import Dispatch
import Domain
import Foundation
import Postgres
import TestSupport
import Testing

@testable import BlockingWork
@testable import Store

/// The results over rounds of one account leave connections and turns to others.
@Suite(.timeLimit(.minutes(5))) struct SharesOfRoundReadings {
    @Test func readingsOfOneAccountDoNotDelayThoseOfOthers() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            func read(for principal: Principal) async throws {
                let rounds = fixture.store.seriesRounds(for: principal.account.id)
                _ = try await rounds.pooled(of: meeting.seriesID) { $0.questions.count }
            }
            func rank(for principal: Principal) async throws {
                let query = RankingQuery(key: "pace", unit: .series)
                _ = try await fixture.store.rankings.read(query, by: principal) { $0.groups.count }
            }
            let lease = try await fixture.store.roundReadings.accountPermits.acquire(
                for: fixture.host.account.id, within: .zero, else: "", retryAfter: 1)
            let refused = try await problem { try await read(for: fixture.host) }
            #expect(refused?.code == .overloaded)
            let unranked = try await problem { try await rank(for: fixture.host) }
            #expect(unranked?.code == .overloaded)
            try await read(for: fixture.admin)
            try await rank(for: fixture.admin)
            withExtendedLifetime(lease) {}
        }
    }

    @Test func accountsTakeTurnsOnTheThread() async throws {
        try await TestStore.run { fixture in
            let readings = RoundReadings(
                source: fixture.store.readSource, poolSize: 16, releaseLog: ReleaseLog(pool: fixture.store.pool))
            let gate = DispatchSemaphore(value: 0)
            defer { gate.signal() }
            // A job occupies the only thread until the gate is signalled.
            try #require(readings.work.enqueue { gate.wait() })
            let reads = [fixture.host, fixture.host, fixture.admin].map { principal in
                Task {
                    try await readings.run(
                        for: principal.account.id, { try await $0.query("SELECT 1").count }, showing: { _ in [:] },
                        then: { $0 })
                }
            }
            try await eventually("a reading of each account waits for the thread") { readings.work.waitingCount == 2 }
            gate.signal()
            for read in reads { #expect(try await read.value == 1) }
        }
    }
}
