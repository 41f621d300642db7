import Contract
import Foundation
import HTTPAPI
import HTTPTypes

/// The session of a signed-in host. Its token is in a cookie.
struct HostSession {
    static let cookie = CookieName.session

    /// The cookie that keeps the browser signed in for the longest lifetime of a session.
    static func cookie(of session: Session) -> Cookie {
        Cookie(name: cookie, value: session.token, path: "/", maxAge: 30 * 86_400)
    }

    let page: PageRequest
    let authorization: String

    /// Without a session cookie, redirects to the sign-in page. That page leads back to this page after a GET, and
    /// otherwise to `/home`.
    init(_ page: PageRequest) throws {
        guard let token = page.cookies[Self.cookie], !token.isEmpty else {
            throw Self.signInRedirect(before: page.method == .get ? page.path : "/home")
        }
        (self.page, authorization) = (page, "Bearer \(token)")
    }

    /// The host's access to the store. Redirects to the sign-in page if the session has ended.
    func reader() async throws -> HostReader {
        guard let reader = try await page.reader() else { throw Self.signInRedirect(before: page.path) }
        return reader
    }

    /// Requests a path of the API and decodes the response. Throws as `check` does.
    func get<Value: Decodable>(_ path: String, _ type: Value.Type = Value.self) async throws -> Value {
        try await getTagged(path, type).value
    }

    /// Like `get`, but also returns the ETag of the response.
    func getTagged<Value: Decodable>(_ path: String, _ type: Value.Type) async throws -> (value: Value, tag: String) {
        let response = try await page.send(.get, path, as: authorization)
        try check(response)
        return (try response.decoded(type), response.headers[.eTag] ?? "")
    }

    /// Whether the host may change a series. Viewers may only read it.
    func canEdit(_ seriesID: ResourceID) async throws -> Bool {
        try await reader().series(seriesID).series.role != "viewer"
    }

    /// Throws the error page for viewers, who may not change the meeting.
    func requireEditor(of meeting: Meeting) async throws {
        guard try await canEdit(meeting.seriesId) else { throw PageError(.forbidden, code: "forbidden") }
    }

    /// Throws a redirect to the sign-in page if the session has ended, `ConfirmationRequired` if the password has to be
    /// confirmed first, and any other error of the API as a `PageError`.
    func check(_ response: InnerAPI.CollectedResponse) throws {
        guard response.status != .unauthorized else { throw Self.signInRedirect(before: page.path) }
        if let interruption = ConfirmationRequired(response) { throw interruption }
        guard (200..<300).contains(response.status.code) else { throw PageError(response) }
    }

    /// The length in bytes of the longest path to which a page redirects, with its query.
    private static let longestTarget = 2048

    /// The path if it leads to a page of this service, otherwise `/home`. So a link can't redirect to another site.
    ///
    /// A browser could read `//` as the start of another host. `//` can also result from `.` and `..`, which are
    /// therefore refused as well.
    static func localPath(_ path: String?) -> String {
        guard let path, path.utf8.count <= longestTarget, path.hasPrefix("/"), !path.contains("\\"),
            path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return "/home" }
        let parts = path.prefix { !"?#".contains($0) }.split(separator: "/", omittingEmptySubsequences: false)
            .map { $0.lowercased().replacing("%2e", with: ".") }
        let isPlain = !parts.dropFirst().dropLast().contains("") && !parts.contains { $0 == "." || $0 == ".." }
        return isPlain ? path : "/home"
    }

    /// The redirect to the sign-in page, which leads back to the path.
    private static func signInRedirect(before path: String) -> PageRedirect {
        let encoded = path.replacing("%", with: "%25").replacing("&", with: "%26").replacing("+", with: "%2B")
        return PageRedirect(path: "/sign-in?next=" + encoded)
    }
}
