import HTTPServer
import TestSupport
import Testing

@testable import WebPages

/// Forms that anybody can send to a page, and that would take a lot of time or memory to read.
@Suite(.timeLimit(.minutes(3))) struct LargeForms {
    private static func send(
        _ body: String, to path: String, _ site: TestSite, headers: [String: String] = [:]
    ) async throws -> HTTPTestClient.Response {
        let type = ["Content-Type": "application/x-www-form-urlencoded", "Accept": "text/html"]
        return try await site.client.send(
            "POST", path, body: Array(body.utf8), headers: type.merging(headers) { $1 })
    }

    private static func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

    @Test func tooManyFieldsAreRefused() async throws {
        try await TestSite.run { site in
            for path in ["/f/nosuchcode1234", "/sign-in"] {
                let refused = try await Self.send(Self.repeated("a&", 6_000), to: path, site)
                #expect(refused.status == 413, "\(path)")
                let accepted = try await Self.send(Self.repeated("a&", 5_999), to: path, site)
                #expect(accepted.status != 413, "\(path)")
            }
        }
    }

    @Test func formsWithLongRunsOfMarksAreRefused() async throws {
        try await TestSite.run { site in
            let long = "e" + Self.repeated("%CC%81%CC%96", 20_000)
            for path in ["/f/nosuchcode1234", "/sign-in"] {
                for body in ["\(long)=1", "email=\(long)", "email=e" + Self.repeated("%CC%81", 31)] {
                    let refused = try await Self.send(body, to: path, site)
                    #expect(refused.status == 400 && refused.text.contains("more than 30 accents"), "\(path)")
                }
                let accepted = try await Self.send("email=e" + Self.repeated("%CC%81", 30), to: path, site)
                #expect(!accepted.text.contains("more than 30 accents"), "\(path)")
            }
        }
    }

    @Test func formBuilderIsLimitedWithoutASession() async throws {
        try await TestSite.run { site in
            let options = Self.repeated("&q0.option-id&q0.option=o", 100)
            let large = (0..<6).map { "&q\($0).kind=choice" + options.replacing("q0.", with: "q\($0).") }.joined()
            let refused = try await Self.send("title=T" + large, to: "/meetings/x/form", site)
            #expect(refused.status == 303 && refused["Location"]?.hasPrefix("/sign-in") == true)
            let shown = try await Self.send("title=Typed&q0.kind=choice" + options, to: "/meetings/x/form", site)
            #expect(shown.status == 401 && shown.text.contains("Typed"))
            #expect(shown.count("name=\"q0.option\"") == 100)
            let long = try await Self.send("title=" + Self.repeated("x", 300 << 10), to: "/meetings/x/form", site)
            #expect(long.status == 413)
            // A host's form may be larger.
            var host = try await site.signedIn()
            let meeting = try await site.openForm(by: host)
            let path = "/meetings/\(meeting.id)/form"
            try await host.get(path).expect(200)
            let accepted = try await host.post(path, ["intro": Self.repeated("x", 300 << 10), "act": "add:text"])
            #expect(accepted.status == 200)
            for target in [path, path + "/preview"] {
                let refused = try await host.post(target, ["intro": Self.repeated("x", 4 << 20), "act": "add:text"])
                #expect(refused.status == 413, "\(target)")
            }
        }
    }

    @Test func optionsBeyondTwiceTheLimitAreNotRead() {
        let fields = FormFields("q0.kind=choice" + Self.repeated("&q0.option-id&q0.option=o", 10_000))
        #expect(FormBuilder(fields).questions.first?.options.count == 100)
    }

    @Test func bodiesBeyondTheBudgetAreRefused() async throws {
        try await TestSite.run { site in
            let large = "email=a%40example.org&name=" + Self.repeated("x", 20_000)
            do {
                let share = MemoryBudget.Share(of: site.bodies)
                #expect(share.take(128 << 20))
                let refused = try await Self.send(large, to: "/sign-in", site)
                #expect(refused.status == 503 && refused["Retry-After"] != nil)
                #expect(refused.text.contains("</html>"))
                #expect(try await Self.send("email=a%40example.org", to: "/sign-in", site).status != 503)
            }
            #expect(try await Self.send(large, to: "/sign-in", site).status != 503)
        }
    }
}
