import Domain
import Foundation
import Postgres
import Store
import Testing

@testable import HTTPAPI
@testable import TestSupport
@testable import WebPages

/// Hosts and co-hosts who asked for it get the results by mail when a form closes.
@Suite(.timeLimit(.minutes(10))) struct MailedResults {
    private struct Sent {
        var recipient: String
        var letter: Letter
    }

    private static func outbox(_ site: TestSite) -> Outbox { site.fixture.store.outbox }

    /// Writes all due mails, as the service does when it sends them.
    private static func send(
        _ site: TestSite, path: String? = nil, timeout: Duration = .seconds(60)
    ) async throws -> [Sent] {
        let resources = try await TestSite.resources.value
        let environment = path.map { ["PATH": $0] } ?? ProcessInfo.processInfo.environment
        var letters = ClosedResultLetters(
            store: site.fixture.store, summaries: resources.summaries,
            reports: resources.reports(environment: environment), letters: resources.letters,
            publicURL: TestSite.origin)
        letters.reportTimeout = timeout
        var sent: [Sent] = []
        while let mail = try await outbox(site).claim() {
            if let letter = try await letters.letter(of: try #require(mail.source)) {
                sent.append(Sent(recipient: mail.recipient, letter: letter))
                try await outbox(site).succeeded(mail)
            } else {
                try await outbox(site).discard(mail)
            }
        }
        return sent.sorted { $0.recipient < $1.recipient }
    }

    private static func edit(_ client: HTTPTestClient, _ json: String) async throws {
        try await client.send("PATCH", "/v1/me", body: Array(json.utf8), headers: ["If-Match": "*"]).expect(200)
    }

    /// A meeting with an open form whose host wants mails.
    private static func meeting(_ site: TestSite, settings: String = #""identity": "open""#) async throws -> TestMeeting
    {
        let meeting = try await site.openForm(by: site.signedIn(), settings: settings)
        try await edit(meeting.host, #"{"mailsAtClose": true}"#)
        return meeting
    }

    /// A co-host of the meeting's series.
    private static func coHost(
        _ name: String, of meeting: TestMeeting, on site: TestSite, settings: String = #"{"mailsAtClose": true}"#
    ) async throws -> (client: HTTPTestClient, id: String) {
        let account = try await TestStore.account("\(name)@example.org", "Otto Other", .host, in: site.fixture.store)
        let json = "{\"email\": \"\(name)@example.org\", \"role\": \"viewer\"}"
        try await meeting.host.post("\(meeting.seriesPath)/hosts", json: json).expect(201)
        let client = site.client.bearing(try await TestService.token(of: account, in: site.fixture.store))
        try await edit(client, settings)
        return (client, account.account.id.lowercased)
    }

    private static func text(_ letter: Letter) async throws -> String {
        let folder = try TemporaryFolder()
        let bytes = try #require(letter.attachment).bytes
        try Data(bytes).write(to: URL(fileURLWithPath: folder / "report.pdf"))
        return try await Command.outcome(
            of: ["pdftotext", "-layout", folder / "report.pdf", "-"], log: folder / "log"
        ).output
    }

    private static func waiting(_ site: TestSite) async throws -> Int { try await outbox(site).counts().waiting }

    @Test func nobodyIsMailedWithoutAskingForIt() async throws {
        try await TestSite.run { site in
            let meeting = try await site.openForm(by: site.signedIn())
            try await meeting.perform("close").expect(200)
            #expect(try await Self.waiting(site) == 0)
        }
    }

    @Test func hostsAndCoHostsGetTheResultsOnceInTheirLanguages() async throws {
        try await TestSite.run { site in
            let meeting = try await Self.meeting(site)
            _ = try await Self.coHost(
                "korean", of: meeting, on: site, settings: #"{"mailsAtClose": true, "locale": "ko"}"#)
            _ = try await Self.coHost("silent", of: meeting, on: site, settings: "{}")
            for pace in [3, 5] { try await meeting.submit("{\"pace\": \(pace), \"better\": \"데모 🎉\"}").expect(201) }
            for _ in 0..<2 { try await meeting.perform("close").expect(200) }
            let sent = try await Self.send(site)
            #expect(sent.map(\.recipient) == ["host@example.org", "korean@example.org"])
            let english = try #require(sent.first?.letter)
            #expect(english.subject == "Results: M" && english.isBulk)
            let page = "\(TestSite.origin)/meetings/\(meeting.id)/results\n"
            for words in ["mean 4.00", page, "attached as a PDF file", "\(TestSite.origin)/account\n"] {
                #expect(english.body.contains(words), "\(english.body)")
            }
            #expect(!english.body.contains("데모"), "texts are in the report alone")
            #expect(try await Self.text(english).contains("mean 4.00"))
            let korean = try #require(sent.last?.letter)
            #expect(korean.body.contains("평균 4.00") && korean.body.contains("첨부했습니다"), "\(korean.body)")
            #expect(try await Self.text(korean).contains("평균 4.00"))
            #expect(try await Self.send(site).isEmpty, "a repeated close changes nothing")
        }
    }

    /// The owner has written the titles that a co-host reads in a mail of the service.
    @Test func mailToACoHostBeginsWithTheNameOfTheOwner() async throws {
        try await TestSite.run { site in
            let meeting = try await Self.meeting(site)
            _ = try await Self.coHost("other", of: meeting, on: site)
            try await meeting.perform("close").expect(200)
            let sent = try await Self.send(site)
            let owner = "<host@example.org>"
            #expect(sent.map(\.recipient) == ["host@example.org", "other@example.org"])
            #expect(sent.first?.letter.body.contains(owner) == false)
            #expect(sent.last?.letter.body.split(separator: "\n").first?.contains(owner) == true)
        }
    }

    /// Everyone can make an account a co-host.
    @Test func accountGetsTwentyMailsADayAboutMeetingsOfOthers() async throws {
        try await TestSite.run { site in
            let meeting = try await Self.meeting(site)
            for name in ["other", "third"] { _ = try await Self.coHost(name, of: meeting, on: site) }
            try await site.fixture.store.pool.execute(
                """
                INSERT INTO outbox (id, kind, recipient, bulk, account_id, meeting_id, created_at, sent_at)
                SELECT gen_random_uuid(), 'results-closed', email, true, id, gen_random_uuid(),
                    now() - make_interval(hours => CASE email WHEN 'third@example.org' THEN 25 ELSE 23 END), now()
                FROM account, generate_series(1, 20) WHERE mails_at_close
                """)
            try await meeting.perform("close").expect(200)
            // The mails about meetings of others do not count for the owner's own meeting.
            #expect(try await Self.send(site).map(\.recipient).sorted() == ["host@example.org", "third@example.org"])
        }
    }

    @Test func closeByTheClockIsMailedOnceByTwoInstances() async throws {
        try await TestSite.run { site in
            let meeting = try await Self.meeting(site)
            try await meeting.submit(#"{"pace": 4}"#).expect(201)
            try await site.fixture.store.pool.execute(
                "UPDATE form_state SET closes_at = now() - interval '1 hour', grace_minutes = 0")
            let second = try await site.fixture.secondStore()
            async let other = second.clock.tick()
            _ = try await (site.fixture.store.clock.tick(), other)
            await second.close()
            let sent = try await Self.send(site)
            #expect(sent.count == 1 && sent.first?.letter.body.contains("mean 4.00") == true)
        }
    }

    @Test func withheldResultsAreInNoMail() async throws {
        try await TestSite.run { site in
            let meeting = try await Self.meeting(site, settings: #""anonymous": true"#)
            try await meeting.submit(#"{"pace": 5, "better": "Secret"}"#).expect(201)
            try await meeting.perform("close").expect(200)
            let letter = try #require(try await Self.send(site).first?.letter)
            let report = try await Self.text(letter)
            for text in [letter.body, report] {
                #expect(text.contains("groups of") && !text.contains("5.00") && !text.contains("Secret"), "\(text)")
            }
        }
    }

    @Test func mailsAreWrittenWithTheRightsAtTheTimeOfSending() async throws {
        try await TestSite.run { site in
            let meeting = try await Self.meeting(site)
            let removed = try await Self.coHost("removed", of: meeting, on: site)
            let disabled = try await Self.coHost("disabled", of: meeting, on: site)
            let changed = try await Self.coHost("changed", of: meeting, on: site)
            try await meeting.perform("close").expect(200)
            #expect(try await Self.waiting(site) == 4)
            try await meeting.host.delete("\(meeting.seriesPath)/hosts/\(removed.id)").expect(204)
            try await site.fixture.store.pool.execute(
                "UPDATE account SET disabled_at = now() WHERE id = \(UUID(uuidString: disabled.id))")
            try await Self.edit(changed.client, #"{"mailsAtClose": false}"#)
            #expect(try await Self.send(site).map(\.recipient) == ["host@example.org"])
            #expect(try await Self.waiting(site) == 0, "the others are discarded")
        }
    }

    @Test func coHostsWhoLeftBeforeTheCloseAreNotMailed() async throws {
        try await TestSite.run { site in
            let meeting = try await Self.meeting(site)
            let removed = try await Self.coHost("removed", of: meeting, on: site)
            try await meeting.host.delete("\(meeting.seriesPath)/hosts/\(removed.id)").expect(204)
            try await meeting.perform("close").expect(200)
            #expect(try await Self.send(site).map(\.recipient) == ["host@example.org"])
        }
    }

    @Test func adminsAreMailedAboutTheirOwnMeetingsOnly() async throws {
        try await TestSite.run { site in
            let meeting = try await Self.meeting(site)
            let admin = site.client.bearing(
                try await TestService.token(of: site.fixture.admin, in: site.fixture.store))
            try await Self.edit(admin, #"{"mailsAtClose": true}"#)
            try await meeting.perform("close").expect(200)
            #expect(try await Self.send(site).map(\.recipient) == ["host@example.org"])
        }
    }

    @Test func reopenedFormIsMailedAtItsNextCloseAtMostThreeTimesADay() async throws {
        try await TestSite.run { site in
            let meeting = try await Self.meeting(site)
            try await meeting.perform("close").expect(200)
            try await meeting.perform("reopen").expect(200)
            #expect(try await Self.send(site).isEmpty, "the form is open again")
            for round in 1...5 {
                try await meeting.submit(#"{"pace": 4}"#).expect(201)
                for _ in 0..<2 {
                    try await meeting.perform("close").expect(200)
                    #expect(try await Self.waiting(site) <= 1)
                    if round == 1 { try await meeting.perform("reopen").expect(200) }
                }
                if round == 1 { try await meeting.perform("close").expect(200) }
                #expect(try await Self.send(site).count == (round <= 3 ? 1 : 0), "round \(round)")
                try await meeting.perform("reopen").expect(200)
            }
        }
    }

    @Test func meetingsInTheTrashAreNotMailed() async throws {
        try await TestSite.run { site in
            let meeting = try await Self.meeting(site)
            try await meeting.host.send("DELETE", meeting.path, headers: ["If-Match": "*"]).expect(204)
            #expect(try await Self.waiting(site) == 0)
        }
    }

    @Test func mailWithoutAPossibleReportSaysSo() async throws {
        try await TestSite.run { site in
            let meeting = try await Self.meeting(site)
            let tools = try TemporaryFolder()
            let cases: [(String?, Int)] = [(nil, 60), ("exit 3", 60), ("exec /bin/sleep 60", 1)]
            for (script, timeout) in cases {
                if let script { chmod(try tools.write("#!/bin/sh\n\(script)\n", to: "rsvg-convert"), 0o755) }
                try await meeting.perform("close").expect(200)
                let sent = try await Self.send(
                    site, path: tools.path, timeout: .seconds(timeout))
                let letter = try #require(sent.first?.letter)
                #expect(letter.attachment == nil && letter.body.contains("could not be attached"), "\(letter.body)")
                try await meeting.perform("reopen").expect(200)
            }
        }
    }
}
