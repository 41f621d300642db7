/// Where webhooks may be sent, by the operator's choice.
public struct WebhookTargets: Sendable, Equatable {
    /// Whether this machine and private networks are allowed, and URLs without encryption.
    public var allowsPrivate: Bool
    /// The allowed hosts in lower case; nil for all. `*.example.org` stands for all names below `example.org`.
    public var hosts: [String]?

    public init(allowsPrivate: Bool = false, hosts: [String]? = nil) {
        self.allowsPrivate = allowsPrivate
        self.hosts = hosts
    }

    /// Whether the list of hosts admits the URL.
    public func admitsHost(of url: WebhookURL) -> Bool {
        guard let hosts else { return true }
        let name = url.name
        return hosts.contains { $0.hasPrefix("*.") ? name.hasSuffix($0.dropFirst()) : name == $0 }
    }
}
