import Domain
import Foundation
import Postgres
import Store
import Testing

@testable import HTTPAPI
@testable import TestSupport
@testable import WebPages

/// Accounts that ask for it get a mail about their meetings once a week.
@Suite(.timeLimit(.minutes(5))) struct WeeklyMails {
    private static func send(_ site: TestSite) async throws -> [Letter] {
        let resources = try await TestSite.resources.value
        let letters = DigestLetters(
            store: site.fixture.store, summaries: resources.summaries, letters: resources.letters,
            publicURL: TestSite.origin)
        var sent: [Letter] = []
        while let mail = try await site.fixture.store.outbox.claim() {
            if let letter = try await letters.letter(of: try #require(mail.source)) { sent.append(letter) }
            try await site.fixture.store.outbox.discard(mail)
        }
        return sent
    }

    private static func edit(_ client: HTTPTestClient, _ json: String) async throws {
        try await client.send("PATCH", "/v1/me", body: Array(json.utf8), headers: ["If-Match": "*"]).expect(200)
    }

    private static func makeDue(_ site: TestSite) async throws {
        try await site.fixture.store.pool.execute(
            "UPDATE account SET digest_due_at = now() - interval '1 minute' WHERE weekly_digest")
    }

    @Test func digestIsPlannedForMondayInTheTimeZoneOfTheAccount() async throws {
        try await TestSite.run { site in
            let host = site.client.bearing(try await site.signedIn().session)
            try await Self.edit(host, #"{"weeklyDigest": true, "timeZone": "Asia/Seoul"}"#)
            let rows = try await site.fixture.store.pool.query(
                """
                SELECT to_char(digest_due_at AT TIME ZONE 'Asia/Seoul', 'ID HH24:MI'), digest_due_at > now(),
                    digest_due_at <= now() + interval '7 days 7 hours'
                FROM account WHERE weekly_digest
                """)
            let (time, isLater, isWithinAWeek) = try rows.single().decode(String.self, Bool.self, Bool.self)
            #expect(time == "1 07:00" && isLater && isWithinAWeek)
            try await Self.edit(host, #"{"weeklyDigest": false}"#)
            #expect(
                try await site.fixture.store.pool.query("SELECT FROM account WHERE digest_due_at IS NOT NULL").isEmpty)
        }
    }

    @Test func weekIsMailedOnceByTwoInstances() async throws {
        try await TestSite.run { site in
            let host = try await site.signedIn()
            let closed = try await site.openForm(by: host, settings: #""identity": "open""#)
            try await closed.submit(#"{"pace": 4, "better": "Secret"}"#).expect(201)
            try await closed.perform("close").expect(200)
            let open = try await site.openForm(by: host)
            let old = try await site.openForm(by: host)
            try await old.perform("close").expect(200)
            try await site.fixture.store.pool.execute(
                """
                UPDATE form_state AS fs SET closed_at = now() - interval '8 days'
                FROM form f WHERE f.id = fs.form_id AND f.meeting_id = \(UUID(uuidString: old.id))
                """)
            try await Self.edit(open.host, #"{"weeklyDigest": true}"#)
            try await Self.makeDue(site)
            let second = try await site.fixture.secondStore()
            async let other: Void = second.weeklyDigests.enqueueDue()
            _ = try await (site.fixture.store.weeklyDigests.enqueueDue(), other)
            await second.close()
            let sent = try await Self.send(site)
            let letter = try #require(sent.first)
            #expect(sent.count == 1 && letter.subject == "Your meetings of the week")
            #expect(letter.body.contains("mean 4.00") && letter.body.contains("– M: 0"), "\(letter.body)")
            #expect(letter.body.contains("/meetings/\(closed.id)/results"))
            #expect(!letter.body.contains(old.id) && !letter.body.contains("Secret"))
            try await site.fixture.store.weeklyDigests.enqueueDue()
            #expect(try await Self.send(site).isEmpty, "the next one is due in a week")
        }
    }

    @Test func nothingIsMailedWithoutMeetingsOrToDisabledAccounts() async throws {
        try await TestSite.run { site in
            let browser = try await site.signedIn()
            let host = site.client.bearing(try browser.session)
            try await Self.edit(host, #"{"weeklyDigest": true}"#)
            try await Self.makeDue(site)
            try await site.fixture.store.weeklyDigests.enqueueDue()
            #expect(try await Self.send(site).isEmpty, "there are no meetings")
            _ = try await site.openForm(by: browser)
            try await Self.makeDue(site)
            try await site.fixture.store.weeklyDigests.enqueueDue()
            try await site.fixture.store.pool.execute("UPDATE account SET disabled_at = now() WHERE weekly_digest")
            #expect(try await Self.send(site).isEmpty, "the account was disabled meanwhile")
            try await Self.makeDue(site)
            try await site.fixture.store.weeklyDigests.enqueueDue()
            #expect(try await site.fixture.store.outbox.counts().waiting == 0)
        }
    }

    @Test func withheldResultsAreInNoDigest() async throws {
        try await TestSite.run { site in
            let meeting = try await site.openForm(by: site.signedIn(), settings: #""anonymous": true"#)
            try await meeting.submit(#"{"pace": 5, "better": "Secret"}"#).expect(201)
            try await meeting.perform("close").expect(200)
            try await Self.edit(meeting.host, #"{"weeklyDigest": true}"#)
            try await Self.makeDue(site)
            try await site.fixture.store.weeklyDigests.enqueueDue()
            let body = try #require(try await Self.send(site).first?.body)
            #expect(body.contains("groups of") && !body.contains("5.00") && !body.contains("Secret"), "\(body)")
        }
    }
}
