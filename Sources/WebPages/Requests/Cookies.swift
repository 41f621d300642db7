/// The cookies of a request that belong to pages.
struct Cookies: Sendable {
    private static let names = Dictionary(
        uniqueKeysWithValues: [false, true].map { isSecure in
            (isSecure, Set(CookieName.allCases.map { $0.text(isSecure: isSecure) }))
        })

    private var values: [String: String] = [:]
    private let isSecure: Bool

    init(_ headers: [String], isSecure: Bool) {
        self.isSecure = isSecure
        let names = Self.names[isSecure] ?? []
        for pair in headers.flatMap({ $0.utf8.split(separator: UInt8(ascii: ";")) }) {
            let name = pair.prefix { $0 != UInt8(ascii: "=") }
            let value = pair.dropFirst(name.count + 1)
            guard !value.isEmpty else { continue }
            // Read by bytes, and others are skipped, because a header may have thousands of cookies.
            let key = String(Self.trimmed(name))
            // Of two cookies with the same name, browsers send the one with the longer path first (RFC 6265, 5.4).
            if names.contains(key), values[key] == nil { values[key] = String(Self.trimmed(value)) }
        }
    }

    /// The text without the white space around it.
    private static func trimmed(_ text: Substring.UTF8View) -> Substring {
        var rest = text.drop(while: isSpace)
        while let last = rest.last, isSpace(last) { rest.removeLast() }
        return Substring(rest)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    subscript(name: CookieName) -> String? { values[name.text(isSecure: isSecure)] }
}

/// The names of the cookies of pages. Under https they have prefixes, and only the prefixed names are read.
enum CookieName: String, CaseIterable, Sendable {
    case session, csrf, lang, notice
    /// Cookies that are sent to one form only.
    case device, person, receipt, withdrawn
    /// Cookies that are sent to check-ins only.
    case guest
    case checkedIn = "checked-in"

    /// Whether the cookie is sent to all pages. Under https, the prefix `__Host-` then guarantees that no other host
    /// has set the cookie. Cookies with a path can't have that prefix, so they must not authorize a session.
    var isHostWide: Bool {
        switch self {
        case .session, .csrf, .lang, .notice: true
        case .device, .person, .receipt, .withdrawn, .guest, .checkedIn: false
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
