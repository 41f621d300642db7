import Cryptography
import Foundation
import HTTPTypes
import HummingbirdCore

/// Whether a form was sent from our own page.
///
/// By what the browser says of its origin, as far as it does, and by a token in the form: a code, under a key of the
/// service, of the session that the form acts for or else of a random cookie.
enum CSRFGuard {
    static let field = "csrf"

    /// First parts of the paths whose forms act for no session. They are bound to the browser, so that a form that was
    /// opened before a sign-in, or pressed twice by whoever signs in with it, is good afterwards.
    private static let publicAreas: Set<Substring> = ["sign-in", "sign-up", "verify", "forgot", "reset"]
    private static let participantAreas: Set<Substring> = ["f", "c", "j"]

    private static func actsForSession(_ page: PageRequest) -> Bool {
        !isOfParticipants(page) && !publicAreas.contains(area(page))
    }

    private static func isOfParticipants(_ page: PageRequest) -> Bool { participantAreas.contains(area(page)) }

    private static func area(_ page: PageRequest) -> Substring { page.path.split(separator: "/").first ?? "" }

    // MARK: The token

    /// Another text on each page, so that compressed pages do not give the code away by their lengths.
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

    /// Nil for a browser without a session or cookie that it could be of.
    private static func code(for page: PageRequest) -> [UInt8]? {
        if actsForSession(page), let session = page.cookies[.session], !session.isEmpty {
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

    /// Whether the browser has kept what it got with an earlier page.
    static func isKnown(_ page: PageRequest) -> Bool { page.cookies[.csrf] != nil }

    // MARK: The request

    /// Logs a refusal, except of a participant's form.
    static func admits(_ page: PageRequest) -> Bool {
        let isAdmitted = judge(page)
        if !isAdmitted, !isOfParticipants(page) { page.kit.api.recordForgery(page) }
        return isAdmitted
    }

    /// A browser that keeps no cookies says itself where the form comes from (`Sec-Fetch-Site`).
    private static func judge(_ page: PageRequest) -> Bool {
        let site = page.request.headers[.secFetchSite]
        guard [nil, "same-origin", "none"].contains(site), isOwnOrigin(page, site) else { return false }
        guard let code = code(for: page) else { return site == "same-origin" }
        return unmask(page.fields[field] ?? "").map { constantTimeEquals($0, code) } ?? false
    }

    /// Whether `Origin`, which old browsers leave out, is ours: that of the public address, or without https also of the
    /// host that was asked for, since people may come by several names and ports.
    private static func isOwnOrigin(_ page: PageRequest, _ site: String?) -> Bool {
        guard let text = page.request.headers[.origin] else { return true }
        // Hidden by a browser's settings: then it has to say by itself that no other site sends this.
        if text == "null" { return site != nil }
        let options = page.kit.options
        guard let origin = WebOrigin(text) else { return false }
        if origin == WebOrigin(options.publicURL) { return true }
        guard !options.isSecure else { return false }
        // A proxy in front may have changed the host; what the browser compared is what it asked for.
        if site == "same-origin" { return true }
        let host = page.request.head.authority ?? ""
        return ["http", "https"].contains { WebOrigin("\($0)://\(host)") == origin }
    }
}

/// Scheme, host and port of an address.
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
