/// The hosts that webhooks may be sent to.
enum WebhookHosts {
    private static let maxCount = 100

    /// Parses `all` or a list of hosts separated by spaces, such as `hooks.example.org` and `*.example.com`. Returns an
    /// empty list for `all`, and nil for any other text.
    static func read(_ text: String) -> [String]? {
        if text == "all" { return [] }
        let hosts = text.lowercased().split(separator: " ").map(String.init)
        return (1...maxCount) ~= hosts.count && hosts.allSatisfy(isHost) ? hosts : nil
    }

    /// A name that may begin with `*.`, or an IPv4 address.
    private static func isHost(_ text: String) -> Bool {
        let name = text.hasPrefix("*.") ? text.dropFirst(2) : text[...]
        return name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
            !label.isEmpty && label.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
        }
    }
}
