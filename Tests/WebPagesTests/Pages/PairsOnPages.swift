import TestSupport
import Testing

@testable import WebPages

/// Results pages and reports of hosts compare the people who answered both rounds with themselves.
@Suite(.timeLimit(.minutes(5))) struct PairsOnPages {
    private static let ratings = [("ann", 2, 3), ("ben", 3, 3), ("cem", 3, 4), ("dea", 4, 4), ("eva", 4, 5)]

    /// A text is not compared, however long it is.
    private static let longText = String(
        repeating: "\u{1F469}\u{200D}\u{1F469}\u{200D}\u{1F467}\u{200D}\u{1F466}", count: 200)

    private static func rate(_ meeting: TestMeeting, _ person: String, _ rating: Int) async throws {
        let id = try await meeting.add(person, "\(person)@example.org").expect(201).string("id")
        let link = try await meeting.host.post("\(meeting.attendeesPath)/\(id)/link").expect(200)
        let answers = "{\"pace\": \(rating), \"topics\": [\"demo\"], \"better\": \"\(longText)\"}"
        try await meeting.submit(answers, respondent: try link.string("token")).expect(201)
    }

    @Test func resultsAndReportSayWhoIsCompared() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let first = try await site.openForm(by: host, settings: #""identity": "attendee""#)
            let second = try await first.next()
            for (person, earlier, later) in Self.ratings {
                try await Self.rate(first, person, earlier)
                if person != "eva" { try await Self.rate(second, person, later) }
            }
            let few = try await host.get("/meetings/\(second.id)/results").expect(200).text
            #expect(few.contains("because fewer than 5 people") && !few.contains("people answered both rounds:"))
            try await Self.rate(second, "eva", 5)
            for page in ["results", "report"] {
                let text = try await host.get("/meetings/\(second.id)/\(page)").expect(200).text
                #expect(text.contains("5 people answered both rounds: +0.60 (95 %: −0.08 to +1.28)"), "\(page)")
                #expect(text.contains("p of all") && text.contains("<td>0.070</td>"), "\(page)")
            }
            let before = try await host.get("/meetings/\(first.id)/results").expect(200).text
            #expect(!before.contains("answered both rounds"))
            let german = try await host.get("/meetings/\(second.id)/results?lang=de").expect(200).text
            #expect(german.contains("5 Personen haben in beiden Runden geantwortet: +0,60"))
        }
    }
}
