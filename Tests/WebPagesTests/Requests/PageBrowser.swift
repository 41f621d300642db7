import HTTPAPI
import TestSupport

@testable import WebPages

/// A browser without JavaScript. It stores cookies and the CSRF token of the last page, and submits forms. A copy
/// starts with the same cookies.
struct PageBrowser: Sendable {
    let client: HTTPTestClient
    /// Cookies by name.
    var cookies: [String: String] = [:]
    var keepsCookies = true
    /// The CSRF token of the last page with a form.
    private(set) var token = ""

    init(_ client: HTTPTestClient) { self.client = client }

    /// The token in the session cookie.
    var session: String {
        get throws {
            let name = cookies.keys.first { $0.hasSuffix("afterword-session") }
            guard let name, let token = cookies[name] else { throw TestStore.Missing("a session") }
            return token
        }
    }

    @discardableResult
    mutating func get(
        _ path: String, language: String = "en", headers extra: [String: String] = [:]
    ) async throws -> HTTPTestClient.Response {
        store(try await client.get(path, headers: headers(["Accept-Language": language], extra)))
    }

    /// Submits a form with the last page's token, unless `fields` contains another. Does not follow redirects.
    @discardableResult
    mutating func post(
        _ path: String, _ fields: [String: String] = [:], headers extra: [String: String] = [:]
    ) async throws -> HTTPTestClient.Response {
        let body = PathQuery(["csrf": token].merging(fields) { $1 }.map { (name: $0.key, value: $0.value) }).text
        let defaults = ["Accept-Language": "en", "Content-Type": "application/x-www-form-urlencoded"]
        return store(
            try await client.send(
                "POST", path, body: Array(body.utf8.dropFirst()), headers: headers(defaults, extra)))
    }

    /// Submits a form with a file, with the last page's token. Does not follow redirects.
    @discardableResult
    mutating func upload(
        _ path: String, _ fields: [String: String] = [:], file: (name: String, bytes: [UInt8])? = nil
    ) async throws -> HTTPTestClient.Response {
        var body: [UInt8] = []
        for (name, value) in ["csrf": token].merging(fields, uniquingKeysWith: { $1 }) {
            body += Array("--b\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n".utf8)
        }
        if let file {
            let header = "--b\r\nContent-Disposition: form-data; name=\"\(file.name)\"; filename=\"f\"\r\n\r\n"
            body += Array(header.utf8) + file.bytes + Array("\r\n".utf8)
        }
        body += Array("--b--\r\n".utf8)
        let type = ["Content-Type": "multipart/form-data; boundary=b", "Accept-Language": "en"]
        return store(try await client.send("POST", path, body: body, headers: headers(type, [:])))
    }

    /// Opens an address and follows its redirects.
    mutating func open(_ path: String, language: String = "en") async throws -> HTTPTestClient.Response {
        var response = try await get(path, language: language)
        for _ in 0..<5 {
            guard let next = response["Location"] else { return response }
            response = try await get(next, language: language)
        }
        throw TestStore.Missing("a page at \(path)")
    }

    private func headers(_ defaults: [String: String], _ extra: [String: String]) -> [String: String] {
        var headers = ["Accept": "text/html"].merging(defaults) { $1 }.merging(extra) { $1 }
        if !cookies.isEmpty { headers["Cookie"] = cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ") }
        return headers
    }

    private mutating func store(_ response: HTTPTestClient.Response) -> HTTPTestClient.Response {
        if let token = response.field("csrf") { self.token = token }
        guard keepsCookies else { return response }
        // The attributes of the service's cookies contain no comma.
        for cookie in (response["Set-Cookie"] ?? "").split(separator: ", ") {
            let pair = cookie.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1).map(String.init)
            cookies[pair[0]] = cookie.contains("Max-Age=0") ? nil : pair.count == 2 ? pair[1] : ""
        }
        return response
    }
}

extension HTTPTestClient.Response {
    /// The value of a page's hidden field.
    func field(_ name: String) -> String? {
        guard let match = text.firstMatch(of: try! Regex("name=\"\(name)\" value=\"([^\"]*)\"")) else { return nil }
        return match.output[1].substring.map(String.init)
    }

    /// The number of occurrences in the page.
    func count(_ part: String) -> Int { text.ranges(of: part).count }
}

extension TestService {
    /// Runs `body` on a service with pages.
    static func withPages(
        options: ServiceOptions = ServiceOptions(), sendsMail: Bool = true,
        _ body: (TestService) async throws -> Void
    ) async throws {
        let pages = WebSiteOptions(
            publicURL: options.publicURL, sendsMail: sendsMail, allowsSignUp: options.allowsSignUp)
        let resources = try await TestSite.resources.value
        try await run(
            options: options, site: { WebSite($0, store: $1, resources: resources, options: pages) }, body)
    }
}
