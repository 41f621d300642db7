import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

/// Everything that changes what results show, or the state of their form, has instances look again.
@Suite(.timeLimit(.minutes(15))) struct NewsForViewers {
    /// Counts what is notified of forms.
    private actor Ear {
        private var heard: [UUID: Int] = [:]
        private(set) var isListening = false

        func hear(_ change: FormChanges.Change) {
            switch change {
            case .refresh: isListening = true
            case .form(let id): heard[id, default: 0] += 1
            }
        }

        func count(_ id: UUID) -> Int { heard[id] ?? 0 }
    }

    private static func wait(_ what: String, until isMet: () async -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(20)
        while await !isMet() {
            guard .now < deadline else { throw TestStore.Missing("news of \(what)") }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    @Test func everyActAndTheClockAreHeard() async throws {
        try await TestService.run { service in
            let times = #""startsAt": "2027-03-01T09:00:00Z", "endsAt": "2027-03-01T10:00:00Z", "timeZone": "UTC""#
            let meeting = try await service.meeting(members: times)
            let text = try #require(try await service.host.get(meeting.path).json?["form"]?["id"]?.string)
            let id = try #require(UUID(uuidString: text))
            let ear = Ear()
            let changes = service.fixture.store.formChanges
            let listening = Task { for await change in changes { await ear.hear(change) } }
            defer { listening.cancel() }
            try await Self.wait("the beginning") { await ear.isListening }
            func hears(_ what: Comment, _ act: () async throws -> Void) async throws {
                let before = await ear.count(id)
                try await act()
                // News come in the order of their commits: behind this one there is nothing of the act.
                let end = UUID()
                try await service.sql("SELECT pg_notify(\(FormChannel.name), \(end.uuidString))")
                try await Self.wait("the end") { await ear.count(end) > 0 }
                #expect(await ear.count(id) > before, what)
            }
            let instant = RFC3339.format(Date(timeIntervalSinceNow: 3600))
            try await hears("an edit") {
                try await meeting.define("{\"closes\": \"\(instant)\", \"questions\": \(TestStore.questions)}").expect(
                    200)
            }
            try await hears("a publication") { try await meeting.act("publish").expect(200) }
            try await hears("a submission") { try await meeting.submit(#"{"pace": 4}"#).expect(201) }
            try await hears("a close by the clock") {
                try await service.pass(90, for: meeting)
                #expect(try await service.tick() == ["closed"])
            }
            try await hears("a reopening") { try await meeting.act("reopen").expect(200) }
            try await hears("a close") { try await meeting.act("close").expect(200) }
            let last = try await service.openMeeting(settings: #""anonymous": true"#)
            let lastText = try #require(try await service.host.get(last.path).json?["form"]?["id"]?.string)
            let lastID = try #require(UUID(uuidString: lastText))
            // Behind this one there is nothing of its publication.
            try await hears("a close by hand") {
                try await meeting.act("reopen").expect(200)
                try await meeting.act("close").expect(200)
            }
            let known = await ear.count(lastID)
            // Once when it begins to become final, once when it is.
            try await last.finish()
            try await Self.wait("a final form") { await ear.count(lastID) >= known + 2 }
            try await hears("a head count") {
                try await service.host.send(
                    "PATCH", meeting.path, body: Array(#"{"headcount": 9}"#.utf8), headers: ["If-Match": "*"]
                ).expect(200)
            }
            try await hears("other times") { try await meeting.move(from: -1, to: 60) }
            try await hears("a check-in") {
                try await service.anyone.checkIn(try await meeting.checkInPath(), "Ann", "ann@example.org").expect(201)
            }
            var attendee = ""
            try await hears("somebody on the list") {
                attendee = try await meeting.add("Bea", status: "present").expect(201).string("id")
            }
            try await hears("another status") { try await meeting.patch(attendee, #"{"status": "late"}"#).expect(200) }
            try await hears("somebody taken off it") {
                try await service.host.delete("\(meeting.attendeesPath)/\(attendee)").expect(204)
            }
            try await hears("the trash") { try await service.host.delete(meeting.path).expect(204) }
            try await hears("a restoration") { try await service.host.post("\(meeting.path)/restore").expect(200) }
        }
    }
}
