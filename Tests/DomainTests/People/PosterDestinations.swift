import Domain
import Foundation
import Testing

@Suite struct PosterDestinations {
    private static let now = Date(timeIntervalSince1970: 1_790_000_000)

    /// A round that starts in `minutes` and lasts an hour. Both of its codes are its number.
    private func round(_ number: Int, in minutes: Double?, _ form: FormState = .draft) -> StandingPoster.Round {
        let start = minutes.map { Self.now.addingTimeInterval($0 * 60) }
        return StandingPoster.Round(
            number: number, startsAt: start, endsAt: start?.addingTimeInterval(3600), form: form, code: "\(number)",
            checkInCode: "\(number)")
    }

    private func path(_ rounds: StandingPoster.Round...) -> String? { StandingPoster.path(rounds, at: Self.now) }

    @Test func posterWithoutARoundHasNoDestination() {
        #expect(path() == nil)
    }

    @Test func posterLeadsToTheCheckInUntilTheFormOpens() {
        for minutes in [-59.0, 0, 30, 60] {
            #expect(path(round(1, in: minutes, .draft)) == "/c/1")
            #expect(path(round(1, in: minutes, .scheduled)) == "/c/1")
            #expect(path(round(1, in: minutes, .open)) == "/f/1")
            #expect(path(round(1, in: minutes, .closed)) == "/f/1")
        }
    }

    @Test func checkInOpensAnHourBeforeTheStartAndClosesAtTheEnd() {
        #expect(path(round(1, in: -60)) == "/f/1")
        #expect(path(round(1, in: 60.1)) == "/f/1")
    }

    @Test func runningMeetingPrecedesAnOpenForm() {
        #expect(path(round(1, in: -24 * 60, .open), round(2, in: -5)) == "/c/2")
        #expect(path(round(1, in: -24 * 60, .open), round(2, in: 30)) == "/c/2")
    }

    @Test func runningMeetingPrecedesTheCheckInOfTheNext() {
        #expect(path(round(1, in: -50, .open), round(2, in: 20)) == "/f/1")
    }

    @Test func openFormPrecedesTheNextMeeting() {
        #expect(path(round(1, in: -24 * 60, .open), round(2, in: 24 * 60)) == "/f/1")
        #expect(path(round(1, in: -3000, .open), round(2, in: -2000, .open), round(3, in: -1000, .closed)) == "/f/2")
    }

    @Test func nextMeetingPrecedesTheLast() {
        #expect(path(round(1, in: -3000, .closed), round(3, in: 6000), round(2, in: 3000)) == "/f/2")
        #expect(path(round(1, in: -3000, .closed), round(2, in: -2000, .final)) == "/f/2")
    }

    @Test func undatedRoundIsTheFallbackUnlessItsFormIsOpen() {
        #expect(path(round(1, in: nil), round(2, in: nil)) == "/c/2")
        #expect(path(round(1, in: nil, .open), round(2, in: -3000, .closed)) == "/f/1")
        #expect(path(round(1, in: nil), round(2, in: 3000)) == "/f/2")
    }
}
