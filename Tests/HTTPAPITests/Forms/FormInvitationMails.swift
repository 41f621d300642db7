import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct FormInvitationMails {
    private static let attendeeIdentity = #""identity": "attendee""#

    private static func sendInvitations(
        _ meeting: TestMeeting, _ json: String? = nil, key: String? = nil
    ) async throws -> HTTPTestClient.Response {
        var headers: [String: String] = [:]
        headers["Idempotency-Key"] = key
        return try await meeting.host.post("\(meeting.path)/form/invitations", json: json, headers: headers)
    }

    private static func mails(
        _ service: TestService, kind: String
    ) async throws -> [(recipient: String, subject: String, body: String)] {
        let rows = try await service.fixture.store.pool.query(
            "SELECT recipient, subject, body FROM outbox WHERE kind = \(kind) ORDER BY recipient")
        return try rows.map { row in
            let (recipient, subject, body) = try row.decode(String.self, String.self, String.self)
            return (recipient, subject, body)
        }
    }

    @Test func allAttendeesAreInvitedAndOnlyThoseWithoutAnswersReminded() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: Self.attendeeIdentity)
            var links: [String: String] = [:]
            for name in ["ann", "bea", "cem"] {
                let id = try await meeting.add(name, "\(name)@example.org").expect(201).string("id")
                links[name] = try await service.host.post("\(meeting.attendeesPath)/\(id)/link").string("token")
            }
            try await meeting.add("Nobody's address").expect(201)
            let invited = try await Self.sendInvitations(meeting).expect(202)
            #expect(invited.json?["mailed"] == JSONValue(3) && invited.json?["skipped"] == JSONValue(1))
            let invitations = try await Self.mails(service, kind: "form-link")
            #expect(invitations.map(\.recipient) == ["ann@example.org", "bea@example.org", "cem@example.org"])
            for mail in invitations {
                let token = try #require(links[String(mail.recipient.prefix(3))])
                #expect(mail.body.contains("http://127.0.0.1:8080/f/\(meeting.code)?t=\(token)\n"))
            }
            try await meeting.submit(#"{"pace": 4}"#, respondent: links["ann"]).expect(201)
            try await service.sql("DELETE FROM outbox")
            let reminded = try await Self.sendInvitations(meeting, #"{"remind": true}"#).expect(202)
            #expect(reminded.json?["mailed"] == JSONValue(2) && reminded.json?["skipped"] == JSONValue(2))
            let reminders = try await Self.mails(service, kind: "form-link")
            #expect(reminders.map(\.recipient) == ["bea@example.org", "cem@example.org"])
            #expect(
                reminders.map(\.body) == invitations.dropFirst().map(\.body),
                "mails do not reveal that they are reminders")
            #expect(Set(reminders.map(\.subject)) == Set(invitations.map(\.subject)))
        }
    }

    /// An editor who has replaced other people's addresses with their own could otherwise see who has answered.
    @Test func remindersOfAnAnonymousFormDoNotDependOnAnswers() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: Self.attendeeIdentity + #", "anonymous": true"#)
            let id = try await meeting.add("Ann", "ann@example.org").expect(201).string("id")
            try await meeting.add("Bea", "bea@example.org").expect(201)
            try await meeting.add("Nobody's address").expect(201)
            let link = try await service.host.post("\(meeting.attendeesPath)/\(id)/link").string("token")
            let before = try await Self.sendInvitations(meeting, #"{"remind": true}"#).expect(202)
            let mailsBefore = try await Self.mails(service, kind: "form-link")
            try await meeting.submit(#"{"pace": 4}"#, respondent: link).expect(201)
            try await service.sql("DELETE FROM outbox")
            let after = try await Self.sendInvitations(meeting, #"{"remind": true}"#).expect(202)
            #expect(before.json?["mailed"] == JSONValue(2) && before.json?["skipped"] == JSONValue(1))
            #expect(after.body == before.body)
            let mailsAfter = try await Self.mails(service, kind: "form-link")
            #expect(mailsAfter.map(\.recipient) == ["ann@example.org", "bea@example.org"])
            #expect(mailsAfter.map(\.body) == mailsBefore.map(\.body))
            #expect(mailsAfter.allSatisfy { $0.body.contains("If you have already answered") })
        }
    }

    @Test func repeatedKeySendsMailsOnce() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: Self.attendeeIdentity)
            try await meeting.add("Ann", "ann@example.org").expect(201)
            let first = try await Self.sendInvitations(meeting, "{}", key: "k").expect(202)
            let again = try await Self.sendInvitations(meeting, "{}", key: "k").expect(202)
            #expect(first.body == again.body && again["Idempotency-Replayed"] == "true")
            #expect(try await Self.mails(service, kind: "form-link").count == 1)
        }
    }

    @Test func invitationsRequireAnOpenFormForAttendees() async throws {
        try await TestService.run { service in
            let open = try await service.openMeeting()
            #expect(try await Self.sendInvitations(open).status == 422)
            let draft = try await service.meeting()
            try await draft.define("{\(Self.attendeeIdentity), \"questions\": \(TestStore.questions)}").expect(200)
            #expect(try await Self.sendInvitations(draft).problem == "form-not-open")
            try await draft.perform("publish").expect(200)
            try await Self.sendInvitations(draft).expect(202)
            try await draft.perform("close").expect(200)
            #expect(try await Self.sendInvitations(draft).problem == "form-closed")
            #expect(try await Self.sendInvitations(draft, #"{"remind": 1}"#).status == 400)
        }
    }

    @Test func formInvitationsAreLimitedToThreeAnHour() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: Self.attendeeIdentity)
            try await meeting.add("Ann", "ann@example.org").expect(201)
            // Four requests, the most that one account may make at once, start before the first one commits. Without
            // the lock of the form, all four would pass the check of the limit.
            let lockHolder = try await Connection.connect(PostgresConfiguration(url: service.fixture.database.url))
            try await lockHolder.script("BEGIN; LOCK TABLE audit IN ACCESS EXCLUSIVE MODE")
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<8 { group.addTask { try await Self.sendInvitations(meeting).status } }
                try await service.fixture.database.waitUntilBlocked(4)
                try await lockHolder.script("ROLLBACK")
                await lockHolder.close()
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 202 } == 3 && statuses.count { $0 == 429 } == 5)
            #expect(try await Self.mails(service, kind: "form-link").count == 3)
            let refused = try await Self.sendInvitations(meeting)
            #expect((1...3600).contains(Int(refused["Retry-After"] ?? "") ?? 0))
            // The role of the service may not change the audit trail.
            let superuser = try await service.superuserConnection()
            try await superuser.script("UPDATE audit SET at = at - interval '61 minutes' WHERE act = 'form.invite'")
            await superuser.close()
            try await Self.sendInvitations(meeting).expect(202)
        }
    }

    @Test func hostMailsAtMostTwoThousandLinksADay() async throws {
        try await TestService.run { service in
            var meetings: [TestMeeting] = []
            for _ in 0..<6 {
                let meeting = try await service.openMeeting(settings: Self.attendeeIdentity)
                try await meeting.add("Ann", "ann@example.org").expect(201)
                meetings.append(meeting)
            }
            try await service.sql(
                """
                INSERT INTO daily_mail_count (account_id, day, mails)
                SELECT id, (now() AT TIME ZONE 'UTC')::date, 1997 FROM account WHERE email = 'host@example.org'
                """)
            // Concurrent requests, each for a different form.
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for meeting in meetings { group.addTask { try await Self.sendInvitations(meeting).status } }
                return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(statuses == [202: 3, 429: 3])
            #expect(try await Self.mails(service, kind: "form-link").count == 3)
            try await service.sql("UPDATE daily_mail_count SET day = day - 2")
            try await service.fixture.store.sweep()
            #expect(try await service.count("SELECT count(*) FROM daily_mail_count") == 0)
        }
    }

    /// A reminder may go to exactly the people who have not answered. A list of its recipients would then reveal who
    /// has answered.
    @Test func reminderRecipientsAreErasedAfterSendingOrFailure() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: Self.attendeeIdentity + #", "anonymous": true"#)
            for name in ["ann", "bea"] { try await meeting.add(name, "\(name)@example.org").expect(201) }
            try await Self.sendInvitations(meeting, #"{"remind": true}"#).expect(202)
            let outbox = service.fixture.store.outbox
            let delivered = try #require(try await outbox.claim())
            try await outbox.succeeded(delivered)
            #expect(
                try await service.count("SELECT count(*) FROM outbox") == 1, "the row of the delivered mail is deleted")
            let lost = try #require(try await outbox.claim())
            try await outbox.failed(lost, reason: "no such person as \(lost.recipient)", isFinal: true)
            #expect(try await outbox.counts().failed == 1)
            let traces = try await service.count(
                "SELECT count(*) FROM outbox WHERE recipient <> '' OR last_error IS NOT NULL OR body IS NOT NULL")
            #expect(traces == 0)
        }
    }

    /// Sending waits for the lock of the form, and then reads the form again.
    @Test func sendingSeesAConcurrentClose() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: Self.attendeeIdentity)
            try await meeting.add("Ann", "ann@example.org").expect(201)
            let lockHolder = try await Connection.connect(PostgresConfiguration(url: service.fixture.database.url))
            try await lockHolder.script("BEGIN; UPDATE form SET revision = revision + 1")
            async let sent = Self.sendInvitations(meeting)
            try await service.fixture.database.waitUntilBlocked(1)
            try await lockHolder.script("UPDATE form_state SET state = 'closed', closed_at = now(); COMMIT")
            await lockHolder.close()
            let response = try await sent
            #expect(response.status == 409 && response.problem == "form-closed")
            #expect(try await service.count("SELECT count(*) FROM outbox") == 0)
        }
    }

    @Test func titleWithLineBreaksIsOneLineInTheSubject() async throws {
        try await TestService.run { service in
            let settings = Self.attendeeIdentity + #", "title": "Retro\r\nBcc: everybody@example.org""#
            let meeting = try await service.openMeeting(settings: settings)
            try await meeting.add("Ann", "ann@example.org").expect(201)
            try await Self.sendInvitations(meeting).expect(202)
            let mail = try #require(try await Self.mails(service, kind: "form-link").first)
            #expect(mail.subject == "Your feedback: Retro Bcc: everybody@example.org")
        }
    }
}
