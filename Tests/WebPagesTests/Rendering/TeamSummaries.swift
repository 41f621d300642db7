import TestSupport
import Testing

@testable import WebPages

/// The text for the team contains the main numbers, and what a link to the results would show.
@Suite(.timeLimit(.minutes(5))) struct TeamSummaries {
    @Test func summaryHasALineForEachQuestionAndALinkOnRequest() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let meeting = try await site.openForm(by: host, settings: #""identity": "open""#)
            for rating in [3, 4] {
                try await meeting.submit("{\"pace\": \(rating), \"better\": \"Secret\"}").expect(201)
            }
            let path = "/meetings/\(meeting.id)/summary"
            #expect(try await host.get("/meetings/\(meeting.id)/results").expect(200).text.contains(path))
            let page = try await host.get(path).expect(200).text
            #expect(page.contains("Results: M") && page.contains("2 answers") && page.contains("3.5"))
            #expect(
                !page.contains("Secret") && !page.contains("/r/")
                    && page.contains("href=\"mailto:?subject=Results%3A%20M"))
            let key = try #require(try await host.get(path).expect(200).field("key"))
            let linked = try await host.post(path, ["act": "link", "key": key]).expect(200).text
            #expect(linked.contains("All results: https://feedback.example.org/r/"))
        }
    }

    @Test func summaryOfAnAnonymousFormSaysWhatIsWithheld() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let meeting = try await site.openForm(by: host, settings: #""anonymous": true"#)
            try await meeting.submit(#"{"pace": 5}"#).expect(201)
            let page = try await host.get("/meetings/\(meeting.id)/summary").expect(200).text
            #expect(page.contains("nothing to show yet") && page.contains("groups of") && !page.contains("5.0"))
        }
    }

    @Test func longTextsAreCutInTheMailOnly() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let api = site.client.bearing(try host.session)
            let questions = (0..<40).map { number in
                "{\"key\": \"q\(number)\", \"kind\": \"rating\", \"title\": \"Frage & Antwort \(number) 질문\", \"min\": 1, \"max\": 5}"
            }.joined(separator: ",")
            let created = try await api.post("/v1/meetings", json: "{\"title\": \"M\", \"questions\": [\(questions)]}")
            let meeting = try TestMeeting(created: created, host: api, anyone: site.client)
            try await meeting.perform("publish").expect(200)
            let page = try await host.get("/meetings/\(meeting.id)/summary").expect(200).text
            #expect(page.ranges(of: "Frage &amp; Antwort").count == 40)
            let link = try #require(page.firstMatch(of: /href="(mailto:[^"]*)"/)).1
            #expect(link.utf8.count <= 2_000 && link.hasSuffix("%E2%80%A6") && !link.contains(" "))
        }
    }
}
