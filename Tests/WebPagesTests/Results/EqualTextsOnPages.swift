import Contract
import TestSupport
import Testing

@testable import WebPages

/// Equal texts on the pages of hosts, of participants and of shares.
@Suite(.timeLimit(.minutes(5))) struct EqualTextsOnPages {
    @Test func equalTextsAreFoldedOnAllPagesThatShowThem() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let meeting = try await site.openForm(by: host, settings: #""identity": "open", "showResults": "always""#)
            for text in ["nothing", "Nothing ", "more time", "NOTHING"] {
                try await meeting.submit("{\"better\": \"\(text)\"}").expect(201)
            }
            let path = "/meetings/\(meeting.id)"
            for page in ["/results", "/results/better", "/report"] {
                let text = try await host.get(path + page).expect(200).text
                #expect(text.contains("<summary>3 equal answers</summary>"), "\(page)")
                #expect(
                    text.ranges(of: "<blockquote>").count == 4 && text.ranges(of: "class=\"same\"").count == 1,
                    "\(page)")
            }
            let single = try await host.get(path + "/results/better?single=true").expect(200).text
            #expect(!single.contains("equal answers</summary>") && single.ranges(of: "<blockquote>").count == 4)
            #expect(single.contains("Group equal answers"))

            try await meeting.moderate("release").expect(204)
            let texts = try await meeting.texts()
            let hidden = try #require(texts.items.first { $0.text == "NOTHING" })
            try await meeting.moderate("hide", answer: hidden.id).expect(204)
            #expect(try await host.get(path + "/results/better").expect(200).text.contains("2 equal answers"))
            var guest = PageBrowser(site.client)
            let guestPath = "/f/\(meeting.code)/results"
            let released = try await guest.get(guestPath).expect(200).text
            #expect(released.contains("<summary>2 equal answers</summary>") && !released.contains("NOTHING"))

            try await meeting.moderate("withhold").expect(204)
            let withheld = try await guest.get(guestPath).expect(200).text
            #expect(!withheld.contains("equal answers") && !withheld.lowercased().contains("nothing"))
        }
    }
}
