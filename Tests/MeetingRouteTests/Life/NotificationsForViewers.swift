import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

/// Every change of results or of a form's state notifies all instances.
@Suite(.timeLimit(.minutes(15))) struct NotificationsForViewers {
    /// Counts the notifications of each form.
    private actor Listener {
        private var received: [UUID: Int] = [:]
        private(set) var isListening = false

        func receive(_ change: FormChange) {
            switch change {
            case .refresh: isListening = true
            case .form(let id): received[id, default: 0] += 1
            }
        }

        func count(_ id: UUID) -> Int { received[id] ?? 0 }
    }

    private static func wait(for expected: String, until isMet: () async -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(20)
        while await !isMet() {
            guard .now < deadline else { throw TestStore.Missing(expected) }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    @Test func everyChangeOfAMeetingOrItsFormNotifies() async throws {
        try await TestService.run { service in
            let times = #""startsAt": "2027-03-01T09:00:00Z", "endsAt": "2027-03-01T10:00:00Z", "timeZone": "UTC""#
            let meeting = try await service.meeting(members: times)
            let text = try #require(try await service.host.get(meeting.path).json?["form"]?["id"]?.string)
            let id = try #require(UUID(uuidString: text))
            let listener = Listener()
            let changes = service.fixture.store.formChanges
            let listening = Task { for await change in changes { await listener.receive(change) } }
            defer { listening.cancel() }
            try await Self.wait(for: "the start of listening") { await listener.isListening }
            func expectNotification(_ what: Comment, _ action: () async throws -> Void) async throws {
                let before = await listener.count(id)
                try await action()
                // Notifications arrive in the order of their commits, so all those of the action precede this one.
                let end = UUID()
                try await service.sql("SELECT pg_notify(\(FormChannel.name), \(end.uuidString))")
                try await Self.wait(for: "the notification after the action") { await listener.count(end) > 0 }
                #expect(await listener.count(id) > before, what)
            }
            let instant = RFC3339.format(Date(timeIntervalSinceNow: 3600))
            try await expectNotification("an edit") {
                try await meeting.define("{\"closes\": \"\(instant)\", \"questions\": \(TestStore.questions)}").expect(
                    200)
            }
            try await expectNotification("a publication") { try await meeting.perform("publish").expect(200) }
            try await expectNotification("a submission") { try await meeting.submit(#"{"pace": 4}"#).expect(201) }
            try await expectNotification("a close by the clock") {
                try await service.passTime(90, for: meeting)
                #expect(try await service.tick() == ["closed"])
            }
            try await expectNotification("a reopening") { try await meeting.perform("reopen").expect(200) }
            try await expectNotification("a close") { try await meeting.perform("close").expect(200) }
            let anonymous = try await service.openMeeting(settings: #""anonymous": true"#)
            let anonymousText = try #require(try await service.host.get(anonymous.path).json?["form"]?["id"]?.string)
            let anonymousID = try #require(UUID(uuidString: anonymousText))
            // This also waits for all notifications of the publication of `anonymous`.
            try await expectNotification("a manual close") {
                try await meeting.perform("reopen").expect(200)
                try await meeting.perform("close").expect(200)
            }
            let countBefore = await listener.count(anonymousID)
            // The form notifies once when finalising starts and once when the form is final.
            try await anonymous.finish()
            try await Self.wait(for: "both notifications of the finished form") {
                await listener.count(anonymousID) >= countBefore + 2
            }
            try await expectNotification("a head count") {
                try await service.host.send(
                    "PATCH", meeting.path, body: Array(#"{"headcount": 9}"#.utf8), headers: ["If-Match": "*"]
                ).expect(200)
            }
            try await expectNotification("changed times") { try await meeting.move(from: -1, to: 60) }
            try await expectNotification("a check-in") {
                try await service.anyone.checkIn(try await meeting.checkInPath(), "Ann", "ann@example.org").expect(201)
            }
            var attendee = ""
            try await expectNotification("an added attendee") {
                attendee = try await meeting.add("Bea", status: "present").expect(201).string("id")
            }
            try await expectNotification("another status") {
                try await meeting.patch(attendee, #"{"status": "late"}"#).expect(200)
            }
            try await expectNotification("a removed attendee") {
                try await service.host.delete("\(meeting.attendeesPath)/\(attendee)").expect(204)
            }
            try await expectNotification("a deletion") { try await service.host.delete(meeting.path).expect(204) }
            try await expectNotification("a restoration") {
                try await service.host.post("\(meeting.path)/restore").expect(200)
            }
        }
    }
}
