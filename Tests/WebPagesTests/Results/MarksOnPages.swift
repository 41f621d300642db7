import Contract
import TestSupport
import Testing

@testable import WebPages

/// Hosts give texts stars and tags on the page of all texts, and nobody else sees them.
@Suite(.timeLimit(.minutes(5))) struct MarksOnPages {
    @Test func starsAndTagsAreGivenFilteredAndRemoved() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let meeting = try await site.openForm(by: host, settings: #""identity": "open", "showResults": "always""#)
            for text in ["first", "second"] { try await meeting.submit("{\"better\": \"\(text)\"}").expect(201) }
            let path = "/meetings/\(meeting.id)/results/better"
            let id = try #require(try await meeting.texts().items.first { $0.text == "first" }).id
            let before = try await host.get(path).expect(200).text
            #expect(!before.contains("aria-label=\"Tags\""), "nothing is marked yet")
            try await host.post(path, ["act": "star:better:\(id)"]).expect(303)
            try await host.post(path, ["act": "tag:better:\(id)", "starred": "true", "tags": "<b>, room"]).expect(303)
            let marked = try await host.get(path + "?tag=room").expect(200).text
            #expect(marked.contains("first") && !marked.contains("second"))
            #expect(
                marked.contains("&lt;b&gt;") && !marked.contains("<b>") && marked.contains("aria-label=\"With a star\"")
            )
            let starred = try await host.get(path + "?starred=true").expect(200).text
            #expect(starred.ranges(of: "<blockquote>").count == 1)

            let many = try await host.post(path, ["act": "tag:better:\(id)", "tags": "a,b,c,d,e,f"])
            #expect(many.status == 422 && many.text.contains("at most 5 tags"))

            try await meeting.moderate("release").expect(204)
            var guest = PageBrowser(site.client)
            let shown = try await guest.get("/f/\(meeting.code)/results").expect(200).text
            #expect(shown.contains("first") && !shown.contains("room") && !shown.contains("With a star"))
            let released = try await site.client.get("\(meeting.formPath)/results/better/answers").expect(200).text
            #expect(!released.contains("room") && !released.contains("starred"))

            try await host.post(path, ["act": "unstar:better:\(id)", "tags": "room"]).expect(303)
            let texts = try await meeting.texts().items
            #expect(texts.allSatisfy { $0.starred == nil } && texts.compactMap(\.tags) == [["room"]])
        }
    }
}
