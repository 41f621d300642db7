import Dispatch
import Domain
import Foundation
import TestSupport
import Testing

@testable import BlockingWork
@testable import Store

/// The word counts of one account leave connections and turns to others.
@Suite(.timeLimit(.minutes(5))) struct SharesOfWordCounts {
    @Test func wordCountsOfOneAccountDoNotDelayThoseOfOthers() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            _ = try await fixture.submit(#"{"better": "alpha beta alpha"}"#, to: meeting)
            let texts = fixture.store.texts
            func terms(for principal: Principal) async throws -> [String] {
                try await texts.terms(of: meeting, question: "better", limit: 10, for: principal.account.id)
                    .items.map(\.term)
            }
            let lease = try await texts.countPermits.acquire(
                for: fixture.host.account.id, within: .zero, else: "", retryAfter: 1)
            let refused = try await problem { _ = try await terms(for: fixture.host) }
            #expect(refused?.code == .overloaded)
            #expect(try await terms(for: fixture.admin) == ["alpha", "beta"])
            withExtendedLifetime(lease) {}
        }
    }

    @Test func accountsTakeTurnsOnTheThreadThatCounts() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(
                #"[{"key": "one", "kind": "text", "title": "1"}, {"key": "two", "kind": "text", "title": "2"}]"#)
            _ = try await fixture.submit(#"{"one": "alpha", "two": "beta"}"#, to: meeting)
            let texts = fixture.store.texts
            let gate = DispatchSemaphore(value: 0)
            defer { gate.signal() }
            // A job occupies the only thread until the gate is signalled.
            try #require(texts.counting.enqueue { gate.wait() })
            let counts = [fixture.host, fixture.host, fixture.admin].enumerated().map { index, principal in
                Task {
                    try await texts.terms(
                        of: meeting, question: index == 0 ? "one" : "two", limit: 10, for: principal.account.id)
                }
            }
            try await eventually("a count of each account waits for the thread") { texts.counting.waitingCount == 2 }
            gate.signal()
            for count in counts { #expect(try await count.value.items.count == 1) }
        }
    }
}
