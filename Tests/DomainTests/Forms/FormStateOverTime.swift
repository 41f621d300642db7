import Domain
import Foundation
import Testing

@Suite struct FormStateOverTime {
    func state(_ stored: FormLife.Stored, at seconds: Double, opens: Double? = 1000, closes: Double? = 2000)
        -> FormState
    {
        FormLife(
            stored: stored, opensAt: opens.map { Date(timeIntervalSince1970: $0) },
            closesAt: closes.map { Date(timeIntervalSince1970: $0) }, graceMinutes: 5
        ).state(at: Date(timeIntervalSince1970: seconds))
    }

    @Test func publishedFormFollowsTheClock() {
        #expect(state(.open, at: 999.9) == .scheduled)
        #expect(state(.open, at: 1000) == .open)
        #expect(state(.open, at: 2000) == .open)
        #expect(state(.open, at: 2299.9) == .open)
        #expect(state(.open, at: 2300) == .closed)
    }

    @Test func formWithoutTimesIsOpenUntilItIsClosed() {
        #expect(state(.open, at: 0, opens: nil, closes: nil) == .open)
        #expect(state(.open, at: 1e12, opens: nil, closes: nil) == .open)
        #expect(state(.closed, at: 1500) == .closed)
    }

    @Test func otherStatesDoNotDependOnTheClock() {
        for seconds in [0.0, 1500, 9999] {
            #expect(state(.draft, at: seconds) == .draft)
            #expect(state(.closed, at: seconds) == .closed)
            #expect(state(.finalising, at: seconds) == .closed)
            #expect(state(.final, at: seconds) == .final)
        }
    }
}
