import TestSupport
import Testing

@testable import WebPages

/// The results page compares each question with the most recent earlier round that has numbers for the question.
@Suite(.timeLimit(.minutes(5))) struct ComparedRounds {
    private static let pace = #"{"key": "pace", "kind": "rating", "title": "How was the pace?"}"#
    private static let room = #"{"key": "room", "kind": "rating", "title": "How was the room?"}"#

    /// One published round for each element of `questions`, each round with two submissions.
    private func rounds(_ questions: [String], on site: TestSite, by host: PageBrowser) async throws -> [TestMeeting] {
        let api = site.client.bearing(try host.session)
        var meetings: [TestMeeting] = []
        for (index, asked) in questions.enumerated() {
            let created =
                if let first = meetings.first {
                    try await api.post("/v1/series/\(first.seriesID)/meetings", json: "{}")
                } else {
                    try await api.post("/v1/meetings", json: #"{"title": "M"}"#)
                }
            let meeting = try TestMeeting(created: created, host: api, anyone: site.client)
            try await meeting.define("{\"questions\": [\(asked)]}").expect(200)
            try await meeting.perform("publish").expect(200)
            for rating in [1, 2 + index % 3] {
                let answers = ["pace", "room"].filter { asked.contains("\"\($0)\"") }.map { "\"\($0)\": \(rating)" }
                try await meeting.submit("{\(answers.joined(separator: ", "))}").expect(201)
            }
            meetings.append(meeting)
        }
        return meetings
    }

    /// Whether the page has a sentence that compares a question with this round.
    private func isCompared(_ page: HTTPTestClient.Response, with meeting: TestMeeting) -> Bool {
        ["since ", "higher than in ", "lower than in "].contains { word in
            page.text.contains("\(word)<a href=\"/meetings/\(meeting.id)/results\">")
        }
    }

    @Test func questionIsComparedWithTheLastRoundThatAskedIt() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let both = "\(Self.pace), \(Self.room)"
            let meetings = try await rounds(
                [both] + Array(repeating: Self.room, count: 5) + [both, Self.room], on: site, by: host)
            let page = try await host.get("/meetings/\(meetings[6].id)/results").expect(200)
            // The pace was last asked in the first round, six rounds before, and the room in the round before.
            #expect(isCompared(page, with: meetings[0]))
            #expect(isCompared(page, with: meetings[5]))
            for meeting in meetings[1..<5] { #expect(!isCompared(page, with: meeting)) }
            // Later rounds are not compared.
            let first = try await host.get("/meetings/\(meetings[0].id)/results").expect(200)
            #expect(!first.text.contains("/meetings/\(meetings[6].id)/results"))
        }
    }

    /// The newest rounds have the question with another scale. Earlier rounds are compared as before.
    @Test func laterChangeOfTheScaleDoesNotEndComparisons() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let wide = Self.pace.replacing("\"title\"", with: "\"max\": 10, \"title\"")
            let meetings = try await rounds([Self.pace, Self.pace, wide, wide], on: site, by: host)
            for (round, hasComparison) in [(1, true), (2, false), (3, true)] {
                let page = try await host.get("/meetings/\(meetings[round].id)/results").expect(200)
                #expect(isCompared(page, with: meetings[round - 1]) == hasComparison, "\(round)")
            }
        }
    }
}
