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

    /// By the name that pages know; browsers keep it under another one.
    subscript(name: String) -> String? {
        values[Cookie.fullName(name, isSecure: isSecure, isHost: true)]
            ?? values[Cookie.fullName(name, isSecure: isSecure, isHost: false)]
    }
}

/// A cookie of a page: no script reads it, no other site sends it along with a POST.
struct Cookie: Sendable {
    static let year = 31_536_000

    var name: String
    var value: String
    /// Where it is sent to; `/` is everywhere.
    var path: String
    /// In seconds; 0 takes it away, nil keeps it as long as the browser is open.
    var life: Int?

    /// Under https those of the whole site can be set by this host alone.
    static func fullName(_ name: String, isSecure: Bool, isHost: Bool) -> String {
        (isSecure ? isHost ? "__Host-" : "__Secure-" : "") + "afterword-" + name
    }

    /// - Parameter isFramed: whether forms may be shown within other sites' pages, each of which then has cookies of its
    ///   own there (CHIPS).
    func header(isSecure: Bool, isFramed: Bool = false) -> String {
        var text = Self.fullName(name, isSecure: isSecure, isHost: path == "/")
        let isOfForm = path.hasPrefix("/f/")
        text += "=\(value); Path=\(path); HttpOnly; SameSite=\(isFramed && isOfForm ? "None" : "Lax")"
        if isSecure { text += "; Secure" }
        if isFramed && isOfForm { text += "; Partitioned" }
        if let life { text += "; Max-Age=\(life)" }
        return text
    }
}
