import Postgres
import Store
import TestSupport
import Testing

@testable import WebPages

/// The page of the summary mails it after it has said how many people get it.
@Suite(.timeLimit(.minutes(5))) struct SummaryMailOnPages {
    @Test func summaryIsMailedAfterAConfirmation() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let meeting = try await site.openForm(by: host, settings: #""anonymous": true"#)
            try await meeting.submit(#"{"pace": 5, "better": "Secret"}"#).expect(201)
            let path = "/meetings/\(meeting.id)/summary"
            _ = try await host.get(path).expect(200)
            let nobody = try await host.post(path, ["act": "mail"]).expect(200).text
            #expect(nobody.contains("Nobody else has an address here.") && !nobody.contains("value=\"send\""))
            try await meeting.add("A", "a@example.org").expect(201)
            try await meeting.host.post("/v1/meetings/\(meeting.id)/attendees", json: #"{"name": "C"}"#).expect(201)
            _ = try await host.get(path).expect(200)
            let asked = try await host.post(path, ["act": "mail"]).expect(200)
            #expect(asked.text.contains("1 person gets this text. 1 person on the list has no address."))
            #expect(asked.text.contains("value=\"send\""))
            let key = try #require(asked.field("key"))
            for _ in 0..<2 { try await host.post(path, ["act": "send", "key": key]).expect(303) }
            let mails = try await site.fixture.store.pool.query("SELECT recipient, subject, body FROM outbox")
            let (recipient, subject, body) = try mails.single().decode(String.self, String.self, String.self)
            #expect(recipient == "a@example.org" && subject == "Results: M")
            #expect(body.contains("groups of") && !body.contains("5.0") && !body.contains("Secret"))
        }
    }
}
