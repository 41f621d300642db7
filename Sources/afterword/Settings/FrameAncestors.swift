import Foundation

/// Sites that may embed public forms, in the syntax of a Content Security Policy (level 3, 6.4.2).
enum FrameAncestors {
    private static let maxCount = 20

    /// Parses `none` or a list of sites separated by spaces, such as `https://wiki.example.org` and
    /// `https://*.example.org:8443`. Returns nil for anything else.
    static func read(_ text: String) -> [String]? {
        if text == "none" { return [] }
        let sites = text.split(separator: " ").map(String.init)
        guard (1...maxCount) ~= sites.count, sites.allSatisfy(isSite) else { return nil }
        return sites
    }

    /// A scheme, a host that may begin with `*.`, and a port or `*`. No path, no quotes and nothing that could end the
    /// policy.
    private static func isSite(_ text: String) -> Bool {
        guard let scheme = ["https://", "http://"].first(where: text.hasPrefix) else { return false }
        var parts = text.dropFirst(scheme.count).split(separator: ":", omittingEmptySubsequences: false)
        guard var host = parts.first, parts.count <= 2 else { return false }
        parts.removeFirst()
        if let port = parts.first, port != "*", UInt16(port) == nil { return false }
        if host.hasPrefix("*.") { host = host.dropFirst(2) }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        return labels.allSatisfy { label in
            !label.isEmpty && label.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
        }
    }
}
