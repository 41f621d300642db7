import Logging

/// How many connections and event streams the service accepts, in total and from one client address.
///
/// The limits of one address are below the totals, which prevents one machine from taking all connections. By default
/// they are three quarters of the totals, so that a hall whose phones share one address is served.
struct ClientLimits: Equatable, Sendable {
    /// The share of all connections, or of all event streams, that one address may have by default.
    static let shareOfAddress = 0.75

    var connections: Int
    /// Nil for any number.
    var connectionsPerAddress: Int?
    var viewers: Int
    /// Nil for any number.
    var viewersPerAddress: Int?

    /// The limits of one client address as a sentence, for `doctor`.
    var sentence: String {
        "One client address may have \(Self.text(connectionsPerAddress)) connections and "
            + "\(Self.text(viewersPerAddress)) event streams."
    }

    func metadata(files: Int) -> Logger.Metadata {
        [
            "files": "\(files)", "connections": "\(connections)", "viewers": "\(viewers)",
            "connections-per-address": "\(Self.text(connectionsPerAddress))",
            "viewers-per-address": "\(Self.text(viewersPerAddress))",
        ]
    }

    private static func text(_ limit: Int?) -> String { limit.map(String.init) ?? "all" }
}

extension Settings {
    /// The limits of a service with these settings that accepts this number of connections.
    func clientLimits(connections: Int) -> ClientLimits {
        let viewers = OpenFileLimit.viewers(connections: connections)
        return ClientLimits(
            connections: connections,
            // All connections come from the proxies, if there are any.
            connectionsPerAddress: trustedProxies > 0 ? nil : Self.limit(connectionsPerAddress, of: connections),
            viewers: viewers, viewersPerAddress: Self.limit(viewersPerAddress, of: viewers))
    }

    private static func limit(_ setting: Int?, of total: Int) -> Int? {
        switch setting {
        case nil: max(1, Int(Double(total) * ClientLimits.shareOfAddress))
        case 0: nil
        case let limit: limit
        }
    }
}
