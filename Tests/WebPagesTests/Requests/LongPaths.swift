import TestSupport
import Testing

@testable import WebPages

/// Paths that are longer than those of pages.
@Suite(.timeLimit(.minutes(5))) struct LongPaths {
    @Test func pathThatIsTooLongForAPageIsUnknownToTheAPI() async throws {
        try await TestSite.run { site in
            for (length, type) in [
                (PageRoute.longestPath, "text/html; charset=utf-8"),
                (PageRoute.longestPath + 1, "application/problem+json"),
            ] {
                let path = "/f/" + String(repeating: "a", count: length - 3)
                let response = try await site.client.get(path, headers: ["Accept": "text/html"])
                #expect(response.status == 404 && response["Content-Type"] == type, "\(length)")
            }
            let separators = String(repeating: "/", count: 4_000)
            #expect(try await site.client.get(separators, headers: ["Accept": "text/html"]).status == 404)
            #expect(try await site.client.get("/v1" + separators).status == 404)
        }
    }

    @Test func longTargetsOfRedirectsLeadHome() {
        let target = "/" + String(repeating: "a", count: 2_047)
        #expect(HostSession.localPath(target) == target)
        #expect(HostSession.localPath(target + "a") == "/home")
    }
}
