import Domain
import Foundation
import Postgres
import StrictJSON
import TestSupport
import Testing

@testable import Store

/// A form that accepted submissions again after a close can no longer be filtered: the results before and after would
/// differ by the people who answered in between.
@Suite(.timeLimit(.minutes(15))) struct Reopenings {
    private static let anonymous = #""anonymous": true, "minimumGroup": 3"#
    private static let questions = #"[{"key": "pace", "kind": "rating", "title": "P"}]"#

    private static func meeting(_ fixture: TestStore, settings: String = anonymous) async throws -> Meeting {
        let meeting = try await fixture.openMeeting(questions, settings: settings)
        for number in 0..<6 { _ = try await fixture.submit("{\"pace\": \(4 + number % 2)}", to: meeting) }
        return meeting
    }

    private static func close(_ meeting: Meeting, _ fixture: TestStore) async throws {
        _ = try await fixture.store.forms.close(meetingID: meeting.id, by: fixture.host.account.id)
    }

    /// The problem with which a filter is refused; nil if it is allowed.
    private static func refusal(_ meeting: Meeting, _ fixture: TestStore) async throws -> ProblemCode? {
        try await problem { _ = try await fixture.store.filters.results(of: meeting, where: ["pace:4"]) }?.code
    }

    @Test func reopeningAfterAManualCloseDisablesFilters() async throws {
        try await TestStore.run { fixture in
            let meeting = try await Self.meeting(fixture)
            #expect(try await Self.refusal(meeting, fixture) == .resultsWithheld)
            try await Self.close(meeting, fixture)
            #expect(try await Self.refusal(meeting, fixture) == nil)
            _ = try await fixture.store.forms.reopen(meetingID: meeting.id, closes: nil, by: fixture.host.account.id)
            #expect(try await Self.refusal(meeting, fixture) == .resultsWithheld)
            try await Self.close(meeting, fixture)
            #expect(try await Self.refusal(meeting, fixture) == .groupTooSmall)
        }
    }

    @Test func reopeningAfterATimedCloseDisablesFilters() async throws {
        try await TestStore.run { fixture in
            let meeting = try await Self.meeting(fixture)
            let past = #", "graceMinutes": 0, "closes": "2020-01-01T00:00:00Z""#
            try await fixture.edit(meeting, settings: Self.anonymous + past, questions: Self.questions)
            #expect(try await Self.refusal(meeting, fixture) == nil, "an edit that closes the form is no reopening")
            try await fixture.edit(
                meeting, settings: Self.anonymous + past + #", "title": "Another""#, questions: Self.questions)
            #expect(try await Self.refusal(meeting, fixture) == nil)
            let future = #", "closes": "2190-01-01T00:00:00Z""#
            try await fixture.edit(meeting, settings: Self.anonymous + future, questions: Self.questions)
            try await Self.close(meeting, fixture)
            #expect(try await Self.refusal(meeting, fixture) == .groupTooSmall)
        }
    }

    @Test func longerGraceCountsAsReopening() async throws {
        try await TestStore.run { fixture in
            let meeting = try await Self.meeting(fixture)
            let tenMinutesAgo = timestamp(minutesFromNow: -10)
            let short = #", "graceMinutes": 0, "closes": "\#(tenMinutesAgo)""#
            try await fixture.edit(meeting, settings: Self.anonymous + short, questions: Self.questions)
            #expect(try await Self.refusal(meeting, fixture) == nil)
            let long = #", "graceMinutes": 1000, "closes": "\#(tenMinutesAgo)""#
            try await fixture.edit(meeting, settings: Self.anonymous + long, questions: Self.questions)
            #expect(try await Self.refusal(meeting, fixture) == .resultsWithheld)
            try await Self.close(meeting, fixture)
            #expect(try await Self.refusal(meeting, fixture) == .groupTooSmall)
        }
    }

    @Test func postponedOpeningCountsAsReopening() async throws {
        try await TestStore.run { fixture in
            let meeting = try await Self.meeting(fixture)
            let past = #", "graceMinutes": 0, "closes": "2020-01-01T00:00:00Z""#
            try await fixture.edit(meeting, settings: Self.anonymous + past, questions: Self.questions)
            let later = #", "opens": "2180-01-01T00:00:00Z", "closes": "2190-01-01T00:00:00Z""#
            try await fixture.edit(meeting, settings: Self.anonymous + later, questions: Self.questions)
            #expect(try await Self.refusal(meeting, fixture) == .resultsWithheld)
            try await Self.close(meeting, fixture)
            #expect(try await Self.refusal(meeting, fixture) == .groupTooSmall)
        }
    }

    /// An empty form has shown nothing, and a form that is not anonymous has nothing to protect.
    @Test func emptyAndNamedFormsRemainFilterable() async throws {
        try await TestStore.run { fixture in
            let empty = try await fixture.openMeeting(Self.questions, settings: Self.anonymous)
            try await Self.close(empty, fixture)
            _ = try await fixture.store.forms.reopen(meetingID: empty.id, closes: nil, by: fixture.host.account.id)
            for _ in 0..<3 { _ = try await fixture.submit(#"{"pace": 4}"#, to: empty) }
            try await Self.close(empty, fixture)
            #expect(try await Self.refusal(empty, fixture) == nil)

            let named = try await Self.meeting(fixture, settings: #""identity": "open""#)
            try await Self.close(named, fixture)
            _ = try await fixture.store.forms.reopen(meetingID: named.id, closes: nil, by: fixture.host.account.id)
            #expect(try await Self.refusal(named, fixture) == nil)
        }
    }
}

private func timestamp(minutesFromNow minutes: Double) -> String {
    Date(timeIntervalSinceNow: minutes * 60).formatted(.iso8601)
}
