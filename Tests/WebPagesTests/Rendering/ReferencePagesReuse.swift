import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOEmbedded
import TestSupport
import Testing

@testable import WebPages

/// The pages of the API's reference take long to render, and anybody may open them. Therefore each is rendered once.
@Suite(.timeLimit(.minutes(5))) struct ReferencePagesReuse {
    @Test func requestsForTheSamePageShareOneRendering() async throws {
        try await TestSite.run { site in
            let rendered = RenderedPages<String>()
            func renderings(_ paths: [String], headers: HTTPFields = [:]) async throws -> Int {
                var count = 0
                for path in paths {
                    let head = HTTPRequest(
                        method: .get, scheme: "http", authority: "x", path: path, headerFields: headers)
                    let context = ConnectionContext(
                        source: ApplicationRequestContextSource(
                            channel: EmbeddedChannel(), logger: Logger(label: "test")))
                    let page = PageRequest(
                        Request(head: head, body: RequestBody(buffer: .init())), context, parameters: [:],
                        site.pages.kit)
                    _ = try await rendered.response("/docs/objects", for: page, at: "/docs/objects") {
                        count += 1
                        return ObjectsPage(title: "Objects", objects: [])
                    }
                }
                return count
            }
            let paths = ["/docs/objects", "/docs/objects?a=1", "/docs/objects?a=2", "/docs/%6fbjects", "/docs/objects"]
            let first = try await renderings(paths)
            let withNotice = try await renderings(
                ["/docs/objects"], headers: [.accept: "text/html", .cookie: "notice=saved"])
            let inKorean = try await renderings(["/docs/objects?lang=ko", "/docs/objects?lang=ko&a=1"])
            #expect((first, withNotice, inKorean) == (1, 0, 1))
        }
    }

    @Test func everyRequestGetsTheWholePage() async throws {
        try await TestSite.run { site in
            for path in ["/docs", "/docs/objects", "/docs/forms"] {
                var texts: Set<String> = []
                for query in ["", "?a=1", "?a=2"] {
                    let page = try await site.client.get(path + query).expect(200)
                    #expect(page.text.contains("\"\(path)?lang=ko\""), "the language link has no other query")
                    texts.insert(page.field("csrf").map { page.text.replacing($0, with: "") } ?? page.text)
                }
                #expect(texts.count == 1 && texts.first?.contains("</html>") == true)
                let korean = try await site.client.get(path + "?lang=ko").expect(200)
                #expect(korean.text.contains("lang=\"ko\"") && korean.text.contains("\"\(path)?lang=en\""))
            }
            try await site.client.get("/docs/nothing").expect(404)
        }
    }
}
