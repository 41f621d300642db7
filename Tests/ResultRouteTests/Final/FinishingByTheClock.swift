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
        try await service.pass(days * 1440, for: meeting)
        try await service.sql(
            """
            UPDATE form_state SET closed_at = closed_at - \(days)::float8 * interval '1 day'
            WHERE form_id = \(fragment: meeting.formID)
            """)
    }

    /// The events of one tick, after the finalising that it starts has ended.
    private static func tick(_ service: TestService) async throws -> [String] {
        let notified = try await service.tick()
        await service.fixture.store.finalising.idle()
        return notified
    }

    private static func isFinal(_ meeting: TestMeeting, _ service: TestService) async throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(60)
        while .now < deadline {
            _ = try await tick(service)
            if try await service.stored(meeting) == "final" { return true }
            try await Task.sleep(for: .milliseconds(200))
        }
        return false
    }

    @Test func formsBecomeFinalSevenDaysAfterACloseByHand() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: Self.anonymous)
            for pace in 1...3 { try await meeting.submit("{\"pace\": \(pace)}").expect(201) }
            try await meeting.perform("close").expect(200)
            try await Self.pass(6.9, meeting, service)
            #expect(try await Self.tick(service) == [])
            #expect(try await service.stored(meeting) == "closed")
            // After reopening, the seven days start again at the second close.
            try await meeting.perform("reopen").expect(200)
            try await Self.pass(1, meeting, service)
            #expect(try await Self.tick(service) == [])
            try await meeting.perform("close").expect(200)
            #expect(try await Self.tick(service) == [])
            try await Self.pass(7.1, meeting, service)
            #expect(try await Self.isFinal(meeting, service))
            let trail = try await service.trail("form.finish")
            #expect(trail.map(\.detail) == [#"{"automatic": true}"#])
            #expect(trail.first?.account == service.fixture.host.account.id)
            #expect(try await service.notified(meeting) == "closed")
            #expect(try await meeting.perform("reopen").problem == "form-final")
        }
    }

    @Test func formsBecomeFinalSevenDaysAfterTheirGraceEvenIfNothingRan() async throws {
        try await TestService.run { service in
            let closes = RFC3339.format(Date(timeIntervalSinceNow: 3600))
            let settings = "\(Self.anonymous), \"graceMinutes\": 1440, \"closes\": \"\(closes)\""
            let meeting = try await service.openMeeting(settings: settings)
            try await meeting.submit(#"{"pace": 4}"#).expect(201)
            try await Self.pass(7.5, meeting, service)
            #expect(try await Self.tick(service) == ["closed"], "its grace is not over for seven days")
            #expect(try await service.stored(meeting) == "open")
            // The close of this one was not published before either.
            let other = try await service.openMeeting(settings: settings)
            try await Self.pass(9, other, service)
            try await Self.pass(1, meeting, service)
            #expect(try await Self.tick(service) == ["closed"])
            #expect(try await Self.isFinal(meeting, service))
            #expect(try await Self.isFinal(other, service))
        }
    }

    @Test func onlyAnonymousFormsBecomeFinalEvenInTheTrash() async throws {
        try await TestService.run { service in
            let named = try await service.openMeeting()
            let endless = try await service.openMeeting(settings: Self.anonymous)
            let trashed = try await service.openMeeting(settings: Self.anonymous)
            let draft = try await service.meeting()
            for meeting in [named, endless, trashed] { try await meeting.submit(#"{"pace": 4}"#).expect(201) }
            try await named.perform("close").expect(200)
            try await trashed.perform("close").expect(200)
            try await service.host.delete(trashed.path).expect(204)
            for meeting in [named, endless, trashed] { try await Self.pass(20, meeting, service) }
            #expect(try await Self.isFinal(trashed, service))
            for (meeting, state) in [(named, "closed"), (endless, "open"), (draft, "draft")] {
                #expect(try await service.stored(meeting) == state)
            }
            try await service.host.post("\(trashed.path)/restore").expect(200)
            #expect(try await trashed.state() == "final")
        }
    }
}
