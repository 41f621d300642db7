import Contract
import Foundation
import StrictJSON
import Testing

@testable import WebPages

/// The titles that are proposed for the next round of a series.
@Suite struct TitlesOfRounds {
    private func meeting(_ round: Int, _ title: String) -> Meeting {
        Meeting(
            id: ResourceID(UUID()), seriesId: ResourceID(UUID()), series: "S", round: round, title: title,
            startsAt: nil, endsAt: nil, timeZone: "UTC", place: nil, headcount: nil, lateAfterMinutes: 5,
            allowOverlap: false, state: nil, checkInCode: "c", attended: 0, submissions: 0,
            form: .init(id: ResourceID(UUID()), code: "f", state: "open", version: 1))
    }

    @Test(
        arguments: [
            (14, "Lecture 14", "Lecture 15"), (48, "Team retro, week 48", "Team retro, week 49"),
            (9, "9주차 회의", "10주차 회의"), (3, "#3: graphs", "#4: graphs"), (14, "Lecture 13", nil), (14, "Retro", nil),
            (4, "Version 4.2", nil), (3, "2026-3-3", nil), (2, "2 of 2", nil), (1, "Round 01", nil), (5, "", nil),
        ])
    func roundNumberInTheTitleIsIncremented(round: Int, title: String, expected: String?) {
        #expect(RoundTitle.next(after: [meeting(round, title), meeting(round - 1, "Before")]) == expected)
    }

    @Test func titleIsProposedForASingleRoundOnly() {
        let next = NextRound(after: [meeting(14, "Lecture 14")], now: Date(timeIntervalSince1970: 1_795_000_000))
        func body(_ fields: String) -> String {
            next.body(RoundRepetition(FormFields(fields)), title: "Lecture 15", allowOverlap: false).text
        }
        #expect(body("count=1").contains(#""title":"Lecture 15""#))
        #expect(!body("count=3").contains("title"))
        #expect(RoundTitle.next(after: []) == nil)
    }
}
