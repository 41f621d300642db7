import Cryptography
import Foundation
import HTTPTypes
import HummingbirdCore

/// Checks whether a form was sent from a page of this service.
///
/// It checks the headers in which browsers report the origin, and a token in the form: an HMAC, under a key of the
/// service, of the session or else of a random cookie.
enum CSRFGuard {
    static let field = "csrf"

    /// First parts of the paths whose forms don't act for a session. Their tokens are bound to the browser, so that a form
    /// that was opened before a sign-in, or that is sent twice to sign in, is valid afterwards.
    private static let publicAreas: Set<Substring> = ["sign-in", "sign-up", "verify", "forgot", "reset"]
    private static let participantAreas: Set<Substring> = ["f", "c", "j"]

    private static func usesSession(_ page: PageRequest) -> Bool {
        !isOfParticipants(page) && !publicAreas.contains(area(page))
    }

    private static func isOfParticipants(_ page: PageRequest) -> Bool { participantAreas.contains(area(page)) }

    private static func area(_ page: PageRequest) -> Substring { page.path.split(separator: "/").first ?? "" }

    // MARK: The token

    /// Masked with random bytes on each page, so that the length of compressed pages does not reveal the code.
    static func token(for page: PageRequest) -> String {
        let code = code(for: page) ?? makeCode(for: page)
        let mask = RandomBytes.make(code.count)
        return Base64URL.encode(mask + zip(mask, code).map { $0 ^ $1 })
    }

    /// The same text for all tokens of one session or browser.
    static func unmasked(_ token: String) -> String { Base64URL.encode(unmask(token) ?? []) }

    private static func unmask(_ token: String) -> [UInt8]? {
        guard let bytes = Base64URL.decode(token), bytes.count == 2 * HMACSHA256.byteCount else { return nil }
        return zip(bytes.prefix(HMACSHA256.byteCount), bytes.suffix(HMACSHA256.byteCount)).map { $0 ^ $1 }
    }

    /// Nil for a browser without a session and cookie.
    private static func code(for page: PageRequest) -> [UInt8]? {
        if usesSession(page), let session = page.cookies[.session], !session.isEmpty {
            return code("session", session, page)
        }
        return page.cookies[.csrf].map { code("browser", $0, page) }
    }

    private static func makeCode(for page: PageRequest) -> [UInt8] {
        let value = Base64URL.encode(RandomBytes.make(24))
        page.newCookies.append(Cookie(name: .csrf, value: value, path: "/", life: nil))
        return code("browser", value, page)
    }

    private static func code(_ kind: String, _ value: String, _ page: PageRequest) -> [UInt8] {
        HMACSHA256.authenticate(parts: [Array(kind.utf8), Array(value.utf8)], key: page.kit.options.csrfKey)
    }

    /// Whether the browser has kept the cookie of an earlier page.
    static func isKnown(_ page: PageRequest) -> Bool { page.cookies[.csrf] != nil }

    // MARK: The request

    /// Logs a refused form, unless it is a participant's.
    static func admits(_ page: PageRequest) -> Bool {
        let isAdmitted = isTrusted(page)
        if !isAdmitted, !isOfParticipants(page) { page.kit.api.recordForgery(page) }
        return isAdmitted
    }

    /// Without cookies, the form is accepted if `Sec-Fetch-Site` is `same-origin`.
    private static func isTrusted(_ page: PageRequest) -> Bool {
        let site = page.request.headers[.secFetchSite]
        guard [nil, "same-origin", "none"].contains(site), isOwnOrigin(page, site) else { return false }
        guard let code = code(for: page) else { return site == "same-origin" }
        return unmask(page.fields[field] ?? "").map { constantTimeEquals($0, code) } ?? false
    }

    /// Whether `Origin`, which old browsers don't send, is this service's: that of the public address, or without https
    /// that of the request's host, because the service may have several names and ports.
    private static func isOwnOrigin(_ page: PageRequest, _ site: String?) -> Bool {
        guard let text = page.request.headers[.origin] else { return true }
        // Hidden by a setting of the browser; `Sec-Fetch-Site` is then required.
        if text == "null" { return site != nil }
        let options = page.kit.options
        guard let origin = WebOrigin(text) else { return false }
        if origin == WebOrigin(options.publicURL) { return true }
        guard !options.isSecure else { return false }
        // A proxy may have changed the host; the browser has compared the original one.
        if site == "same-origin" { return true }
        let host = page.request.head.authority ?? ""
        return ["http", "https"].contains { WebOrigin("\($0)://\(host)") == origin }
    }
}

private struct WebOrigin: Equatable {
    let scheme: String
    let host: String
    let port: Int

    init?(_ address: String) {
        guard let parts = URLComponents(string: address), let scheme = parts.scheme?.lowercased(),
            ["http", "https"].contains(scheme), let host = parts.host?.lowercased(), !host.isEmpty
        else { return nil }
        (self.scheme, self.host) = (scheme, host)
        port = parts.port ?? (scheme == "https" ? 443 : 80)
    }
}

extension HTTPField.Name {
    // A constant of the standard library's kind.
    static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!
}
