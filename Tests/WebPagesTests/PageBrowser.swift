import HTTPAPI
import TestSupport

@testable import WebPages

/// What a browser without JavaScript does with pages: it keeps cookies and sends forms. A copy has the same cookies.
struct PageBrowser: Sendable {
    let client: HTTPTestClient
    var cookies: [String: String] = [:]
    /// Of the last page with a form.
    private(set) var token = ""

    init(_ client: HTTPTestClient) { self.client = client }

    mutating func get(_ path: String, language: String = "en") async throws -> HTTPTestClient.Answer {
        keep(try await client.get(path, headers: headers(language)))
    }

    /// Sends a form with the token of an earlier page; follows no redirect.
    mutating func post(_ path: String, _ fields: KeyValuePairs<String, String> = [:]) async throws
        -> HTTPTestClient.Answer
    {
        var headers = headers("en")
        headers["Content-Type"] = "application/x-www-form-urlencoded"
        let pairs = [("csrf", token)] + fields.map { ($0.key, $0.value) }
        let body = pairs.map { "\(Self.encoded($0.0))=\(Self.encoded($0.1))" }.joined(separator: "&")
        return keep(try await client.send("POST", path, body: Array(body.utf8), headers: headers))
    }

    /// Opens an address and what it leads to.
    mutating func open(_ path: String, language: String = "en") async throws -> HTTPTestClient.Answer {
        var answer = try await get(path, language: language)
        for _ in 0..<5 {
            guard let next = answer["Location"] else { return answer }
            answer = try await get(next, language: language)
        }
        throw TestStore.Missing("a page at \(path)")
    }

    private func headers(_ language: String) -> [String: String] {
        let pairs = cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        var headers = ["Accept": "text/html", "Accept-Language": language]
        if !pairs.isEmpty { headers["Cookie"] = pairs }
        return headers
    }

    private mutating func keep(_ answer: HTTPTestClient.Answer) -> HTTPTestClient.Answer {
        if let token = answer.field("csrf") { self.token = token }
        // No attribute of our cookies has a comma.
        for cookie in (answer["Set-Cookie"] ?? "").split(separator: ", ") {
            let pair = cookie.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1).map(String.init)
            cookies[pair[0]] = cookie.contains("Max-Age=0") ? nil : pair.count == 2 ? pair[1] : ""
        }
        return answer
    }

    private static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            let character = Character(UnicodeScalar(byte))
            let isPlain = character.isASCII && (character.isLetter || character.isNumber)
            return isPlain ? String(character) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }
}

extension HTTPTestClient.Answer {
    /// The value of a page's hidden field.
    func field(_ name: String) -> String? {
        guard let match = text.firstMatch(of: try! Regex("name=\"\(name)\" value=\"([^\"]*)\"")) else { return nil }
        return match.output[1].substring.map(String.init)
    }

    func count(_ part: String) -> Int { text.ranges(of: part).count }
}

extension TestService {
    /// Pages in front of the API.
    static func withPages(
        options: ServiceOptions = ServiceOptions(), sendsMail: Bool = true,
        _ body: (TestService) async throws -> Void
    ) async throws {
        let pages = WebSiteOptions(
            publicURL: options.publicURL, sendsMail: sendsMail, allowsSignUp: options.allowsSignUp)
        try await run(options: options, site: { try WebSite($0, options: pages) }, body)
    }
}
