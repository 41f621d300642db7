import Cryptography
import HTTPTypes
import HummingbirdCore

/// Whether a form was sent from our own page: its field says the same as a cookie that no other site can read or set.
enum CSRFGuard {
    private static let cookie = "csrf"
    static let field = "csrf"

    /// The token of this browser, made with its first page.
    static func token(for page: PageRequest) -> String {
        if let known = page.cookies[cookie], known.utf8.count == 32 { return known }
        if let new = page.newCookies.first(where: { $0.name == cookie }) { return new.value }
        let token = Base64URL.encode(RandomBytes.make(24))
        page.newCookies.append(Cookie(name: cookie, value: token, path: "/", life: nil))
        return token
    }

    /// Whether the browser has kept what it got with an earlier page.
    static func isKnown(_ page: PageRequest) -> Bool { page.cookies[cookie] != nil }

    /// A browser that keeps no cookies says itself where the form comes from (`Sec-Fetch-Site`).
    static func admits(_ page: PageRequest) -> Bool {
        guard page.request.headers[.secFetchSite] != "cross-site" else { return false }
        let given = Array((page.fields[field] ?? "").utf8)
        guard let known = page.cookies[cookie] else {
            return page.request.headers[.secFetchSite] == "same-origin"
        }
        return constantTimeEquals(given, Array(known.utf8))
    }
}

extension HTTPField.Name {
    // A constant of the standard library's kind.
    static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!
}
