import Cryptography
import Foundation
import HTTPTypes
import HummingbirdCore
import Store

/// Checks whether a form was sent from a page of this service.
///
/// It checks the headers in which browsers report the origin, and a token in the form. The token is a masked MAC. The
/// MAC is an HMAC with a key of the service. Its input is the lineage of the session's token, or a random cookie of the
/// browser.
enum CSRFGuard {
    static let field = "csrf"

    /// The first path components of pages whose forms don't act for a session. Their tokens are bound to the random
    /// cookie of the browser. So a form that was opened before a sign-in, and a sign-in form that is sent twice, remain
    /// valid.
    private static let publicAreas: Set<Substring> = ["sign-in", "sign-up", "verify", "forgot", "reset"]
    private static let participantAreas: Set<Substring> = ["f", "c", "j"]

    private static func usesSession(_ page: PageRequest) -> Bool {
        !isForParticipants(page) && !publicAreas.contains(area(page))
    }

    private static func isForParticipants(_ page: PageRequest) -> Bool { participantAreas.contains(area(page)) }

    private static func area(_ page: PageRequest) -> Substring { page.path.split(separator: "/").first ?? "" }

    // MARK: The token

    /// The page's token. The MAC is masked with random bytes on each page, so that the length of compressed pages does
    /// not reveal the MAC.
    ///
    /// Layout: the mask (32 bytes), then the MAC XOR the mask (32 bytes), as Base64URL.
    static func token(for page: PageRequest) -> String {
        let mac = mac(for: page) ?? makeMAC(for: page)
        let mask = RandomBytes.make(mac.count)
        return Base64URL.encode(mask + zip(mask, mac).map { $0 ^ $1 })
    }

    /// The MAC without its mask. It is the same for all tokens of one session or one browser.
    static func unmasked(_ token: String) -> String { Base64URL.encode(unmask(token) ?? []) }

    private static func unmask(_ token: String) -> [UInt8]? {
        guard let bytes = Base64URL.decode(token), bytes.count == 2 * HMACSHA256.byteCount else { return nil }
        return zip(bytes.prefix(HMACSHA256.byteCount), bytes.suffix(HMACSHA256.byteCount)).map { $0 ^ $1 }
    }

    /// The MAC to which the form is bound. Nil if the browser did not send the cookie to which it is bound.
    private static func mac(for page: PageRequest) -> [UInt8]? {
        if usesSession(page), let session = page.cookies[.session], !session.isEmpty {
            return mac("session", Tokens.lineage(of: session), page)
        }
        return page.cookies[.csrf].map { mac("browser", $0, page) }
    }

    private static func makeMAC(for page: PageRequest) -> [UInt8] {
        let value = Base64URL.encode(RandomBytes.make(24))
        page.newCookies.append(Cookie(name: .csrf, value: value, path: "/", maxAge: nil))
        return mac("browser", value, page)
    }

    private static func mac(_ kind: String, _ value: String, _ page: PageRequest) -> [UInt8] {
        HMACSHA256.authenticate(parts: [Array(kind.utf8), Array(value.utf8)], key: page.kit.options.csrfKey)
    }

    /// Whether the browser sent the random cookie of an earlier page.
    static func hasCookie(_ page: PageRequest) -> Bool { page.cookies[.csrf] != nil }

    // MARK: The request

    /// Whether the form may be applied. A refused form is logged, unless it is from a page for participants.
    static func admits(_ page: PageRequest) -> Bool {
        let isAdmitted = isTrusted(page)
        if !isAdmitted, !isForParticipants(page) { page.kit.api.recordForgery(page) }
        return isAdmitted
    }

    /// Whether the headers and the token show that the form is from a page of this service. Without cookies,
    /// `Sec-Fetch-Site` has to be `same-origin`.
    private static func isTrusted(_ page: PageRequest) -> Bool {
        let site = page.request.headers[.secFetchSite]
        guard [nil, "same-origin", "none"].contains(site), isOwnOrigin(page, site) else { return false }
        guard let mac = mac(for: page) else { return site == "same-origin" }
        return unmask(page.fields[field] ?? "").map { constantTimeEquals($0, mac) } ?? false
    }

    /// Whether `Origin` is an origin of this service, or missing, because old browsers don't send it.
    ///
    /// The origin has to be that of the public address. Without https, it may also be that of the requested host,
    /// because the service may have several names and ports.
    private static func isOwnOrigin(_ page: PageRequest, _ site: String?) -> Bool {
        guard let text = page.request.headers[.origin] else { return true }
        // A privacy setting of the browser hides the origin. `Sec-Fetch-Site` is then required.
        if text == "null" { return site != nil }
        let options = page.kit.options
        guard let origin = WebOrigin(text) else { return false }
        if origin == WebOrigin(options.publicURL) { return true }
        guard !options.isSecure else { return false }
        // A proxy may have changed the host. The browser has compared the original host.
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
    // The name is a valid token, so the initializer never returns nil.
    static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!
}
