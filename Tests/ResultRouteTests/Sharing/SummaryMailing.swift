import Foundation
import HTTPAPI
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

/// The summary of results is mailed to the people of a meeting.
@Suite(.timeLimit(.minutes(15))) struct SummaryMailing {
    private static func recipients(_ service: TestService) async throws -> [String] {
        try await service.fixture.store.pool.query("SELECT recipient FROM outbox WHERE kind = 'summary' ORDER BY 1")
            .map { row -> String in try row.decode(String.self) }
    }

    /// An open meeting with people on its list, on the roster and among its hosts. One person is in all three.
    private static func meeting(_ service: TestService) async throws -> TestMeeting {
        let meeting = try await service.openMeeting()
        for (name, email) in [("A", "a@example.org"), ("B", "B@example.org")] {
            try await meeting.add(name, email).expect(201)
        }
        try await service.host.post("\(meeting.path)/attendees", json: #"{"name": "C", "status": "present"}"#)
            .expect(201)
        for (name, email) in [("B", "b@example.org"), ("D", "d@example.org")] {
            let member = "{\"name\": \"\(name)\", \"email\": \"\(email)\"}"
            try await service.host.post("\(meeting.seriesPath)/members", json: member).expect(201)
        }
        try await service.coHost(meeting, as: "viewer")
        return meeting
    }

    @Test func everyAddressGetsTheSummaryOnce() async throws {
        try await TestService.run { service in
            let meeting = try await Self.meeting(service)
            let path = "\(meeting.path)/summary/mail"
            let counts = try #require(try await service.host.get(path).expect(200).json)
            #expect(counts["recipients"] == .number("4") && counts["withoutAddress"] == .number("1"))
            let sent = try await service.host.post(path, headers: ["Idempotency-Key": "once", "Accept-Language": "de"])
                .expect(202)
            #expect(sent.json?["mailed"] == .number("4") && sent.json?["skipped"] == .number("1"))
            let replay = try await service.host.post(
                path, headers: ["Idempotency-Key": "once", "Accept-Language": "de"]
            ).expect(202)
            #expect(replay.json == sent.json)
            let recipients = try await Self.recipients(service).map { $0.lowercased() }
            #expect(recipients.count == 4 && Set(recipients).count == 4)
            #expect(Set(recipients).isSuperset(of: ["a@example.org", "b@example.org", "d@example.org"]))
            #expect(!recipients.contains(service.fixture.host.account.email), "the sender has the text already")
            let subjects = try await service.fixture.store.pool.query("SELECT DISTINCT subject FROM outbox")
                .map { row -> String in try row.decode(String.self) }
            #expect(subjects == ["de A meeting"])
            let bodies = try await service.fixture.store.pool.query("SELECT DISTINCT body FROM outbox")
                .map { row -> String in try row.decode(String.self) }
            let sender = service.fixture.host.account
            #expect(bodies.count == 1 && bodies[0].hasPrefix("\(sender.name) <\(sender.email)>\n"))
            #expect(try await service.auditTrail(of: "form.summary").count == 1)
        }
    }

    @Test func mailingsAreLimitedAndNeedAPublishedForm() async throws {
        try await TestService.run { service in
            let draft = try await service.meeting()
            let refused = try await service.host.post("\(draft.path)/summary/mail").expect(409)
            #expect(refused.problem == "form-not-open")
            let meeting = try await Self.meeting(service)
            let path = "\(meeting.path)/summary/mail"
            for _ in 0..<3 { try await service.host.post(path).expect(202) }
            #expect(try await service.host.post(path).expect(429)["Retry-After"] != nil)
            #expect(try await Self.recipients(service).count == 12)

            let superuser = try await service.superuserConnection()
            try await superuser.script("UPDATE audit SET at = at - interval '2 hours' WHERE act = 'form.summary'")
            await superuser.close()
            try await service.sql("UPDATE daily_mail_count SET mails = 1998")
            try await service.host.post(path).expect(429)
            #expect(try await Self.recipients(service).count == 12, "a mailing is sent to all or to nobody")
        }
    }

    @Test func viewersStrangersAndTokensWithoutResultsAreRefused() async throws {
        try await TestService.run { service in
            let meeting = try await Self.meeting(service)
            let path = "\(meeting.path)/summary/mail"
            try await service.other.post(path).expect(403)
            try await service.other.get(path).expect(403)
            let token = try await APITokens.make(service.host, ["meetings:read", "meetings:write"])
            try await service.anyone.bearing(token).post(path).expect(403)
            try await service.host.post(path, json: #"{"text": "mine"}"#).expect(400)
            #expect(try await Self.recipients(service).isEmpty)
        }
    }

    @Test func serviceWithoutMailRefuses() async throws {
        try await TestService.run(options: ServiceOptions(sendsMail: false)) { service in
            let meeting = try await Self.meeting(service)
            let refused = try await service.host.post("\(meeting.path)/summary/mail").expect(422)
            #expect(refused.text.contains("mail-not-set-up"))
            #expect(try await Self.recipients(service).isEmpty)
        }
    }
}
