import Foundation

/// The cookies that came with a request.
struct Cookies: Sendable {
    private var values: [String: String] = [:]
    private let isSecure: Bool

    init(_ headers: [String], isSecure: Bool) {
        self.isSecure = isSecure
        for pair in headers.flatMap({ $0.split(separator: ";") }) {
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { continue }
            let name = parts[0].trimmingCharacters(in: .whitespaces)
            // Of two with one name the first is the one with the longer path (RFC 6265, 5.4).
            if values[name] == nil { values[name] = parts[1].trimmingCharacters(in: .whitespaces) }
        }
    }

    subscript(name: CookieName) -> String? { values[name.text(isSecure: isSecure)] }
}

/// The cookies of pages. Browsers keep each under one name, which alone is read.
enum CookieName: String, Sendable {
    case session, csrf, lang, notice
    /// Sent to one form only.
    case device, person, receipt, withdrawn
    /// Sent to check-ins only.
    case guest

    /// Whether it is sent to all pages. Under https the prefix `__Host-` then guarantees that no other host has set it.
    /// Cookies of one path can't have that prefix, so they must not authorize a session.
    var isHostWide: Bool {
        switch self {
        case .session, .csrf, .lang, .notice: true
        case .device, .person, .receipt, .withdrawn, .guest: false
        }
    }

    func text(isSecure: Bool) -> String {
        (isSecure ? isHostWide ? "__Host-" : "__Secure-" : "") + "afterword-" + rawValue
    }
}

/// A cookie of a page: no script reads it, no other site sends it along with a POST.
struct Cookie: Sendable {
    static let year = 31_536_000

    var name: CookieName
    var value: String
    /// The path that it is sent to, with the paths below it.
    var path: String
    /// In seconds; 0 deletes it, nil keeps it until the browser is closed.
    var life: Int?

    /// - Parameter isFramed: Whether other sites may frame forms. Cookies of forms are then partitioned by site (CHIPS).
    func header(isSecure: Bool, isFramed: Bool = false) -> String {
        let path = name.isHostWide ? "/" : path
        var text = name.text(isSecure: isSecure)
        let isOfForm = path.hasPrefix("/f/")
        text += "=\(value); Path=\(path); HttpOnly; SameSite=\(isFramed && isOfForm ? "None" : "Lax")"
        if isSecure { text += "; Secure" }
        if isFramed && isOfForm { text += "; Partitioned" }
        if let life { text += "; Max-Age=\(life)" }
        return text
    }
}
