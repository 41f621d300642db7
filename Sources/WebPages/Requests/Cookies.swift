import Foundation

/// The cookies of a request.
struct Cookies: Sendable {
    private var values: [String: String] = [:]
    private let isSecure: Bool

    init(_ headers: [String], isSecure: Bool) {
        self.isSecure = isSecure
        for pair in headers.flatMap({ $0.split(separator: ";") }) {
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { continue }
            let name = parts[0].trimmingCharacters(in: .whitespaces)
            // Of two cookies with the same name, browsers send the one with the longer path first (RFC 6265, 5.4).
            if values[name] == nil { values[name] = parts[1].trimmingCharacters(in: .whitespaces) }
        }
    }

    subscript(name: CookieName) -> String? { values[name.text(isSecure: isSecure)] }
}

/// The names of the cookies of pages. Under https they have prefixes, and only the prefixed names are read.
enum CookieName: String, Sendable {
    case session, csrf, lang, notice
    /// Cookies that are sent to one form only.
    case device, person, receipt, withdrawn
    /// A cookie that is sent to check-ins only.
    case guest

    /// Whether the cookie is sent to all pages. Under https, the prefix `__Host-` then guarantees that no other host
    /// has set the cookie. Cookies with a path can't have that prefix, so they must not authorize a session.
    var isHostWide: Bool {
        switch self {
        case .session, .csrf, .lang, .notice: true
        case .device, .person, .receipt, .withdrawn, .guest: false
        }
    }

    /// The name with its prefixes.
    func text(isSecure: Bool) -> String {
        (isSecure ? isHostWide ? "__Host-" : "__Secure-" : "") + "afterword-" + rawValue
    }
}

/// A cookie that a page sets. Scripts can't read it. Browsers don't send it with a POST from another site, unless it
/// belongs to a framed form.
struct Cookie: Sendable {
    /// A year in seconds.
    static let year = 31_536_000

    var name: CookieName
    var value: String
    /// The cookie is sent to this path and the paths below it.
    var path: String
    /// In seconds. 0 deletes the cookie, and nil keeps it until the browser is closed.
    var maxAge: Int?

    /// The value of `Set-Cookie`.
    ///
    /// - Parameter isFramed: Whether other sites may frame forms. Cookies of forms are then partitioned by site
    ///   (CHIPS).
    func header(isSecure: Bool, isFramed: Bool = false) -> String {
        let path = name.isHostWide ? "/" : path
        var text = name.text(isSecure: isSecure)
        let isForForm = path.hasPrefix("/f/")
        text += "=\(value); Path=\(path); HttpOnly; SameSite=\(isFramed && isForForm ? "None" : "Lax")"
        if isSecure { text += "; Secure" }
        if isFramed && isForForm { text += "; Partitioned" }
        if let maxAge { text += "; Max-Age=\(maxAge)" }
        return text
    }
}
