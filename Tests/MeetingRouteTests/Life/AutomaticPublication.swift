import Foundation
import Logging
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

/// Drafts that are published automatically when they are due.
@Suite(.timeLimit(.minutes(15))) struct AutomaticPublication {
    private static let times =
        #""startsAt": "2027-03-01T09:00:00Z", "endsAt": "2027-03-01T10:00:00Z", "timeZone": "UTC", "allowOverlap": true"#

    /// A draft with automatic publication. `settings` are further fields of the form, each with a preceding comma.
    private static func draft(
        _ service: TestService, _ settings: String = "", questions: String = TestStore.questions,
        members: String = times
    ) async throws -> TestMeeting {
        let meeting = try await service.meeting(members: members)
        try await meeting.define("{\"autoPublish\": true\(settings), \"questions\": \(questions)}").expect(200)
        return meeting
    }

    @Test func draftIsPublishedWhenItsMeetingStarts() async throws {
        try await TestService.run { service in
            let meeting = try await Self.draft(service)
            #expect(try await service.tick().isEmpty)
            #expect(try await meeting.submit(#"{"pace": 4}"#).problem == "form-not-open")
            try await meeting.move(from: -1, to: 60)
            #expect(try await service.tick() == ["opened"])
            #expect(try await meeting.state() == "open")
            try await meeting.submit(#"{"pace": 4}"#).expect(201)
            #expect(try await service.tick().isEmpty)
            let trail = try await service.auditTrail(of: "form.publish")
            #expect(trail.count == 1 && trail.first?.account == service.fixture.host.account.id)
            #expect(trail.first?.detail == #"{"automatic": true}"#)
        }
    }

    /// The rule against exchanged labels also applies to automatic publication.
    @Test func draftThatExchangesLabelsIsNotPublished() async throws {
        try await TestService.run { service in
            func questions(_ a: String, _ b: String) -> String {
                """
                [{"key": "again", "kind": "choice", "title": "Again?",
                  "options": [{"id": "a", "label": "\(a)"}, {"id": "b", "label": "\(b)"}]}]
                """
            }
            let first = try await service.openMeeting(questions("Yes", "No"))
            let draft = try await first.next("\(Self.times)", publish: false)
            try await draft.define("{\"autoPublish\": true, \"questions\": \(questions("Yes", "No"))}").expect(200)
            try await first.define("{\"questions\": \(questions("Yes", "Never"))}").expect(200)
            try await service.sql(
                """
                UPDATE form SET definition = jsonb_set(definition, '{questions,0,options}',
                    '[{"id": "a", "label": "Never"}, {"id": "b", "label": "Yes"}]')
                WHERE version = 0
                """)
            try await draft.move(from: -1, to: 60)
            #expect(try await service.tick().isEmpty)
            #expect(try await draft.state() == "draft")
        }
    }

    @Test func openingTimeOfAFormTakesPrecedenceOverTheMeetingsStart() async throws {
        try await TestService.run { service in
            let offset = try await Self.draft(service, #", "opens": {"from": "start", "minutes": 30}"#)
            try await offset.move(from: -10, to: 60)
            let instant = RFC3339.format(Date(timeIntervalSinceNow: -60))
            let undated = try await Self.draft(service, ", \"opens\": \"\(instant)\"", members: #""place": "Here""#)
            _ = try await Self.draft(service, members: #""place": "Nowhere""#)
            #expect(try await service.tick() == ["opened"])
            #expect(try await undated.state() == "open")
            #expect(try await offset.state() == "draft")
            try await offset.move(from: -31, to: 60)
            #expect(try await service.tick() == ["opened"])
            #expect(try await offset.state() == "open")
        }
    }

    @Test func ineligibleDraftsAreNotPublished() async throws {
        try await TestService.run { service in
            let empty = try await Self.draft(service, questions: "[]")
            let withoutAutoPublish = try await Self.draft(service)
            try await withoutAutoPublish.define("{\"questions\": \(TestStore.questions)}").expect(200)
            let ended = try await Self.draft(service, #", "closes": {"from": "end", "minutes": 0}, "graceMinutes": 0"#)
            let trashed = try await Self.draft(service)
            let published = try await Self.draft(service)
            try await published.perform("publish").expect(200)
            for meeting in [empty, withoutAutoPublish, ended, trashed, published] {
                try await meeting.move(from: -90, to: -30)
            }
            try await service.host.delete(trashed.path).expect(204)
            #expect(try await service.tick().isEmpty)
            for meeting in [empty, withoutAutoPublish, ended] { #expect(try await meeting.state() == "draft") }
            #expect(try await published.form().json?["version"] == .number("1"))
            // The drafts are published once the obstacles are removed.
            try await service.host.post("\(trashed.path)/restore").expect(200)
            try await empty.define("{\"autoPublish\": true, \"questions\": \(TestStore.questions)}").expect(200)
            try await ended.move(from: -90, to: 30)
            #expect(try await service.tick() == ["opened", "opened"])
            #expect(try await trashed.state() == "draft", "its start passed while it was in the trash")
        }
    }

    @Test func invalidDraftIsLoggedOnceAndDoesNotBlockOtherDrafts() async throws {
        try await TestService.run { service in
            let late = #", "closes": {"from": "start", "minutes": 0}, "graceMinutes": 0"#
            let invalid = try await Self.draft(service, late)
            let valid = try await Self.draft(service)
            try await invalid.move(from: -90, to: 60)
            try await valid.move(from: -60, to: 60)
            let tape = LogTape()
            let store = try await Store.open(
                Store.Configuration(url: service.fixture.database.url), keys: service.fixture.keys,
                logger: tape.logger(.info))
            for _ in 0..<3 { try await store.clock.tick() }
            await store.close()
            #expect(try await valid.state() == "open")
            #expect(try await invalid.state() == "draft")
            #expect(tape.lines.count == 1)
            #expect(tape.lines.first?.contains("reason=in-the-past") == true)
        }
    }

    @Test func automaticPublicationIsCopiedToTheNextRounds() async throws {
        try await TestService.run { service in
            let first = try await Self.draft(service)
            let start = RFC3339.format(Date(timeIntervalSinceNow: -3 * 86_400))
            let end = RFC3339.format(Date(timeIntervalSinceNow: -3 * 86_400 + 3600))
            let repetition = #""allowOverlap": true, "repeat": {"every": "P1D", "count": 6}"#
            try await service.host.post(
                "/v1/series/\(first.seriesID)/meetings",
                json: "{\"startsAt\": \"\(start)\", \"endsAt\": \"\(end)\", \(repetition)}"
            ).expect(201)
            #expect(try await service.tick().count == 4, "the rounds that have started")
            #expect(try await service.tick().isEmpty)
            #expect(try await first.state() == "draft")
        }
    }

    @Test func ownersTakeTurns() async throws {
        try await TestService.run { service in
            for _ in 0..<12 { try await Self.draft(service).move(from: -20, to: 60) }
            try await Self.draft(service).move(from: -1, to: 60)
            try await service.sql(
                """
                UPDATE series SET owner_id = (SELECT id FROM account WHERE email = 'other@example.org')
                WHERE id = (SELECT series_id FROM meeting ORDER BY starts_at DESC LIMIT 1)
                """)
            #expect(try await service.tick().count == 11)
            #expect(try await service.tick().count == 2)
        }
    }

    @Test func severalInstancesPublishOnce() async throws {
        try await TestService.run { service in
            var meetings: [TestMeeting] = []
            for _ in 0..<6 {
                let meeting = try await Self.draft(service)
                try await meeting.move(from: -10, to: 60)
                meetings.append(meeting)
            }
            let second = try await service.fixture.secondStore()
            let clocks = [service.fixture.store.clock, second.clock]
            let notified = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<8 { group.addTask { try await clocks[number % 2].tick().count } }
                return try await group.reduce(0, +)
            }
            await second.close()
            #expect(notified == 6)
            #expect(try await service.auditTrail(of: "form.publish").count == 6)
            for meeting in meetings { #expect(try await meeting.form().json?["version"] == .number("1")) }
        }
    }

    @Test(arguments: [#"{"autoPublish": false}"#, #"{"opens": "2035-01-01T00:00:00Z"}"#, #"{"questions": []}"#])
    func concurrentEditByTheHostPreventsPublication(change: String) async throws {
        try await TestService.run { service in
            let meeting = try await Self.draft(service)
            try await meeting.move(from: -1, to: 60)
            let host = try await Connection.connect(PostgresConfiguration(url: service.fixture.database.url))
            try await host.script("BEGIN")
            try await host.execute(
                """
                UPDATE form SET definition = definition || \(change)::jsonb
                WHERE meeting_id = \(UUID(uuidString: meeting.id))
                """)
            let clock = Task { try await service.tick() }
            try await service.fixture.database.waitUntilBlocked(1)
            try await host.script("COMMIT")
            await host.close()
            #expect(try await clock.value.isEmpty)
            #expect(try await meeting.state() == "draft")
        }
    }

    @Test func concurrentPublicationByHostAndClockIsRecordedOnce() async throws {
        try await TestService.run { service in
            let meeting = try await Self.draft(service)
            try await meeting.move(from: -1, to: 60)
            let notified = try await withThrowingTaskGroup(of: Int.self) { group in
                group.addTask { try await service.tick().count }
                group.addTask {
                    try await meeting.perform("publish").expect(200)
                    return 0
                }
                return try await group.reduce(0, +)
            }
            #expect(try await meeting.form().json?["version"] == .number("1"))
            let trail = try await service.auditTrail(of: "form.publish")
            #expect(trail.count == 1)
            #expect((trail.first?.detail == nil) == (notified == 0), "only the clock's publication has details")
        }
    }

    @Test func formsDueInTheTrashAreNotPublishedOnRestore() async throws {
        try await TestService.run { service in
            for path in [\TestMeeting.path, \.seriesPath] {
                let meeting = try await Self.draft(service)
                try await meeting.move(from: 10, to: 60)
                try await service.host.delete(meeting[keyPath: path]).expect(204)
                try await service.sql("UPDATE meeting SET starts_at = now() - interval '1 minute'")
                try await service.sql("UPDATE form SET publishes_at = now() - interval '1 minute' WHERE version = 0")
                try await service.host.post("\(meeting[keyPath: path])/restore").expect(200)
                #expect(try await service.tick().isEmpty)
                #expect(try await meeting.state() == "draft")
                try await meeting.define("{\"autoPublish\": true, \"questions\": \(TestStore.questions)}").expect(200)
                #expect(try await service.tick() == ["opened"], "an edit makes it due again")
            }
            let early = try await Self.draft(service)
            try await service.host.delete(early.path).expect(204)
            try await service.host.post("\(early.path)/restore").expect(200)
            try await early.move(from: -1, to: 60)
            #expect(try await service.tick() == ["opened"], "it was restored before its start")
        }
    }

    @Test func nothingIsPublishedForADisabledAccount() async throws {
        try await TestService.run { service in
            let meeting = try await Self.draft(service)
            try await meeting.move(from: -1, to: 60)
            let host = service.fixture.host.account.id
            try await service.sql("UPDATE account SET disabled_at = now() WHERE id = \(host)")
            #expect(try await service.tick().isEmpty)
            try await service.sql("UPDATE account SET disabled_at = NULL WHERE id = \(host)")
            #expect(try await service.tick() == ["opened"])
            #expect(try await meeting.state() == "open")
        }
    }
}

extension TestMeeting {
    fileprivate var seriesPath: String { "/v1/series/\(seriesID)" }
}
