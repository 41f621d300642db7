import Testing

@testable import Store

/// How many submissions a busy lane waits for, and how long.
@Suite struct GatheringRule {
    private func gathering(_ size: Int, took milliseconds: Double, waiting: Int, limit: Int = 256) -> Gathering {
        Gathering(
            after: Gathering.Write(size: size, duration: .milliseconds(milliseconds)), waiting: waiting, limit: limit)
    }

    @Test func laneWaitsForAThirdOfTheClientsAfterAQuickWrite() {
        let quick = gathering(40, took: 0.5, waiting: 20)
        #expect(quick.wanted == 20 && quick.time == .milliseconds(1))
        // The lane never waits longer than two milliseconds after a quick write.
        #expect(gathering(100, took: 1.9, waiting: 0).time == .milliseconds(2))
    }

    /// The clients of a slow write return long before the next write would end.
    @Test func laneWaitsForNearlyAllClientsAfterASlowWrite() {
        let slow = gathering(40, took: 5, waiting: 20)
        #expect(slow.wanted == 54 && slow.time == .milliseconds(3))
    }

    @Test func slownessOfAWriteDependsOnTheNumberOfClients() {
        #expect(gathering(100, took: 10, waiting: 100).wanted == 66)
        #expect(gathering(100, took: 10.1, waiting: 100).wanted == 180)
        // A write of two milliseconds is quick, even with few clients.
        #expect(gathering(10, took: 2, waiting: 8).wanted == 6)
    }

    @Test func batchIsNeverLargerThanItsLimit() {
        #expect(gathering(200, took: 1, waiting: 800).wanted == 256)
        #expect(gathering(200, took: 50, waiting: 800).wanted == 256)
    }
}
