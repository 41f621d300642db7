import Foundation
import Logging
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

/// The opening and the closing of a form publish one event each.
@Suite(.timeLimit(.minutes(15))) struct FormEventsByTheClock {
    private static func instant(_ minutes: Double) -> String {
        RFC3339.format(Date(timeIntervalSinceNow: minutes * 60))
    }

    /// The settings of a form that opens in an hour and closes in two. By default it has five minutes of grace.
    private static var timedSettings: String { "\"opens\": \"\(instant(60))\", \"closes\": \"\(instant(120))\"" }

    @Test func openingAndClosingByTimeArePublishedOnce() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: Self.timedSettings)
            #expect(try await service.tick().isEmpty)
            #expect(try await service.publishedState(of: meeting) == "scheduled")
            try await service.passTime(90, for: meeting)
            let before = try await meeting.results()["ETag"]
            #expect(try await service.tick() == ["opened"])
            #expect(try await service.tick().isEmpty)
            #expect(
                try await meeting.results()["ETag"] != before, "clients that missed the notification see the change")
            try await service.passTime(32, for: meeting)
            #expect(try await meeting.state() == "open", "the form is open during its grace")
            #expect(try await service.tick().isEmpty)
            try await service.passTime(4, for: meeting)
            #expect(try await meeting.state() == "closed")
            #expect(try await service.tick() == ["closed"])
            #expect(try await service.tick().isEmpty)
        }
    }

    @Test func missedEventsArePublishedInOrder() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: Self.timedSettings)
            try await service.passTime(24 * 60, for: meeting)
            #expect(try await service.tick() == ["opened", "closed"])
            #expect(try await service.tick().isEmpty)
        }
    }

    @Test func actionPublishesPendingEventsOfTheClock() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            #expect(try await service.publishedState(of: meeting) == "open")
            for (verb, state) in [("close", "closed"), ("reopen", "open"), ("close", "closed")] {
                try await meeting.perform(verb).expect(200)
                #expect(try await service.publishedState(of: meeting) == state)
                #expect(try await service.tick().isEmpty)
            }
            try await meeting.perform("reopen", json: "{\"closes\": \"\(Self.instant(60))\"}").expect(200)
            try await service.passTime(70, for: meeting)
            #expect(try await service.tick() == ["closed"], "a second close is another event")
            let late = try await service.openMeeting(settings: Self.timedSettings)
            try await service.passTime(24 * 60, for: late)
            try await late.perform("reopen").expect(200)
            #expect(try await service.publishedState(of: late) == "open")
            #expect(try await service.tick().isEmpty)
        }
    }

    @Test func editsAndMovesPublishTheNewStateAtOnce() async throws {
        try await TestService.run { service in
            let times = #""startsAt": "2027-03-01T09:00:00Z", "endsAt": "2027-03-01T10:00:00Z", "timeZone": "UTC""#
            let meeting = try await service.openMeeting(
                settings: #""opens": {"from": "start", "minutes": 0}, "closes": {"from": "end", "minutes": 60}"#,
                members: times)
            #expect(try await service.publishedState(of: meeting) == "scheduled")
            try await meeting.move(from: -10, to: 50)
            #expect(try await service.publishedState(of: meeting) == "open")
            try await meeting.move(from: -600, to: -540)
            #expect(try await service.publishedState(of: meeting) == "closed")
            let other = try await service.openMeeting()
            try await other.define(
                "{\"closes\": \"\(Self.instant(-60))\", \"questions\": \(TestStore.questions)}"
            ).expect(200)
            #expect(try await service.publishedState(of: other) == "closed")
            try await other.define(
                "{\"closes\": \"\(Self.instant(60))\", \"questions\": \(TestStore.questions)}"
            ).expect(200)
            #expect(try await service.publishedState(of: other) == "open")
            try await other.define(
                "{\"opens\": \"\(Self.instant(30))\", \"questions\": \(TestStore.questions)}"
            ).expect(200)
            #expect(try await service.publishedState(of: other) == "scheduled")
            #expect(try await service.tick().isEmpty)
        }
    }

    @Test func trashingClosesAndRestoringOpensForms() async throws {
        try await TestService.run { service in
            let open = try await service.openMeeting()
            let waiting = try await service.openMeeting(settings: Self.timedSettings)
            let draft = try await service.meeting()
            for meeting in [open, waiting, draft] { try await service.host.delete(meeting.path).expect(204) }
            #expect(try await service.publishedState(of: open) == "closed")
            #expect(try await service.publishedState(of: waiting) == "scheduled")
            #expect(try await service.publishedState(of: draft) == "draft")
            try await service.passTime(24 * 60, for: waiting)
            #expect(try await service.tick().isEmpty, "nothing happens in the trash")
            for meeting in [open, waiting, draft] {
                try await service.host.post("\(meeting.path)/restore").expect(200)
            }
            #expect(try await service.publishedState(of: open) == "open")
            #expect(try await service.publishedState(of: draft) == "draft")
            #expect(try await service.publishedState(of: waiting) == "closed")
            #expect(try await service.tick().isEmpty)
            try await service.host.delete("/v1/series/\(open.seriesID)").expect(204)
            #expect(try await service.publishedState(of: open) == "closed")
            try await service.host.post("/v1/series/\(open.seriesID)/restore").expect(200)
            #expect(try await service.publishedState(of: open) == "open")
            #expect(try await service.tick().isEmpty)
        }
    }

    @Test func severalInstancesPublishEachEventOnce() async throws {
        try await TestService.run { service in
            var meetings: [TestMeeting] = []
            for _ in 0..<12 { meetings.append(try await service.openMeeting(settings: Self.timedSettings)) }
            for meeting in meetings { try await service.passTime(24 * 60, for: meeting) }
            let second = try await service.fixture.secondStore()
            let clocks = [service.fixture.store.clock, second.clock]
            let published = try await withThrowingTaskGroup(of: [FormClock.RecordedEvent].self) { group in
                for number in 0..<8 { group.addTask { try await clocks[number % 2].tick() } }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            await second.close()
            #expect(published.count == 24)
            for meeting in meetings {
                let events = published.filter { $0.meetingID.uuidString.lowercased() == meeting.id }.map {
                    "\($0.event)"
                }
                #expect(events == ["opened", "closed"])
            }
        }
    }

    @Test func lockedFormDoesNotBlockOtherForms() async throws {
        try await TestService.run { service in
            let locked = try await service.openMeeting(settings: Self.timedSettings)
            let unlocked = try await service.openMeeting(settings: Self.timedSettings)
            try await service.passTime(90, for: locked)
            try await service.passTime(80, for: unlocked)
            let holder = try await Connection.connect(PostgresConfiguration(url: service.fixture.database.url))
            let form = try await holder.query("SELECT id FROM form WHERE meeting_id = \(UUID(uuidString: locked.id))")
                .single().decode(UUID.self)
            try await holder.script("BEGIN")
            try await holder.query("SELECT 1 FROM form_state WHERE form_id = \(form) FOR UPDATE")
            let tape = LogTape()
            let store = try await Store.open(
                Store.Configuration(url: service.fixture.database.url), keys: service.fixture.keys,
                logger: tape.logger(.info))
            let published = try await store.clock.tick()
            #expect(published.map { $0.meetingID.uuidString.lowercased() } == [unlocked.id])
            #expect(try await store.clock.tick().isEmpty)
            #expect(tape.lines.count == 1, "the locked form is logged once: \(tape.lines)")
            try await holder.script("ROLLBACK")
            await holder.close()
            #expect(try await store.clock.tick().map { "\($0.event)" } == ["opened"])
            await store.close()
        }
    }
}
