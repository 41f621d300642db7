import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

/// Anonymous forms become final seven days after their close.
@Suite(.timeLimit(.minutes(15))) struct FinishingByTheClock {
    private static let anonymous = #""anonymous": true"#

    /// Lets this number of days pass for a form.
    private static func pass(_ days: Double, _ meeting: TestMeeting, _ service: TestService) async throws {
        try await service.passTime(days * 1440, for: meeting)
        try await service.sql(
            """
            UPDATE form_state SET closed_at = \(fragment: .earlier("closed_at", by: "\(days)::float8 * interval '1 day'"))
            WHERE form_id = \(fragment: meeting.formID)
            """)
    }

    /// Runs one tick, waits until the finalising that it starts has ended, and returns the tick's events.
    private static func tick(_ service: TestService) async throws -> [String] {
        let notified = try await service.tick()
        await service.fixture.store.finalising.waitUntilIdle()
        return notified
    }

    /// Whether the form becomes final within a minute.
    private static func becomesFinal(_ meeting: TestMeeting, _ service: TestService) async throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(60)
        while .now < deadline {
            _ = try await tick(service)
            if try await service.storedState(of: meeting) == "final" { return true }
            try await Task.sleep(for: .milliseconds(200))
        }
        return false
    }

    @Test func formsBecomeFinalSevenDaysAfterAManualClose() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: Self.anonymous)
            for pace in 1...3 { try await meeting.submit("{\"pace\": \(pace)}").expect(201) }
            try await meeting.perform("close").expect(200)
            try await Self.pass(6.9, meeting, service)
            #expect(try await Self.tick(service) == [])
            #expect(try await service.storedState(of: meeting) == "closed")
            // After reopening, the seven days start again at the second close.
            try await meeting.perform("reopen").expect(200)
            try await Self.pass(1, meeting, service)
            #expect(try await Self.tick(service) == [])
            try await meeting.perform("close").expect(200)
            #expect(try await Self.tick(service) == [])
            try await Self.pass(7.1, meeting, service)
            #expect(try await Self.becomesFinal(meeting, service))
            let trail = try await service.auditTrail(of: "form.finish")
            #expect(trail.map(\.detail) == [#"{"automatic": true}"#])
            #expect(trail.first?.account == service.fixture.host.account.id)
            #expect(try await service.publishedState(of: meeting) == "closed")
            #expect(try await meeting.perform("reopen").problem == "form-final")
        }
    }

    @Test func formsBecomeFinalSevenDaysAfterTheirGraceEvenIfNoInstanceRan() async throws {
        try await TestService.run { service in
            let closes = RFC3339.format(Date(timeIntervalSinceNow: 3600))
            let settings = "\(Self.anonymous), \"graceMinutes\": 1440, \"closes\": \"\(closes)\""
            let meeting = try await service.openMeeting(settings: settings)
            try await meeting.submit(#"{"pace": 4}"#).expect(201)
            try await Self.pass(7.5, meeting, service)
            #expect(
                try await Self.tick(service) == ["closed"],
                "less than seven days have passed since the end of the grace")
            #expect(try await service.storedState(of: meeting) == "open")
            // The close of this form has not been published yet.
            let other = try await service.openMeeting(settings: settings)
            try await Self.pass(9, other, service)
            try await Self.pass(1, meeting, service)
            #expect(try await Self.tick(service) == ["closed"])
            #expect(try await Self.becomesFinal(meeting, service))
            #expect(try await Self.becomesFinal(other, service))
        }
    }

    @Test func closedAnonymousFormsBecomeFinalEvenInTheTrashButOthersDoNot() async throws {
        try await TestService.run { service in
            let notAnonymous = try await service.openMeeting()
            let neverClosed = try await service.openMeeting(settings: Self.anonymous)
            let trashed = try await service.openMeeting(settings: Self.anonymous)
            let draft = try await service.meeting()
            for meeting in [notAnonymous, neverClosed, trashed] {
                try await meeting.submit(#"{"pace": 4}"#).expect(201)
            }
            try await notAnonymous.perform("close").expect(200)
            try await trashed.perform("close").expect(200)
            try await service.host.delete(trashed.path).expect(204)
            for meeting in [notAnonymous, neverClosed, trashed] { try await Self.pass(20, meeting, service) }
            #expect(try await Self.becomesFinal(trashed, service))
            for (meeting, state) in [(notAnonymous, "closed"), (neverClosed, "open"), (draft, "draft")] {
                #expect(try await service.storedState(of: meeting) == state)
            }
            try await service.host.post("\(trashed.path)/restore").expect(200)
            #expect(try await trashed.state() == "final")
        }
    }
}
