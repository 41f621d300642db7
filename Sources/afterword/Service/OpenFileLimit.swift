import Foundation

/// The limit of open files (`RLIMIT_NOFILE`), and the number of connections that it allows.
///
/// A process without a free descriptor can neither accept connections nor reach its database, and on Linux libdispatch
/// terminates it. The number of connections is therefore kept well below the limit.
struct OpenFileLimit: Equatable, Sendable {
    /// The limit in force.
    var soft: Int
    /// The maximum to which the process may raise the soft limit.
    var hard: Int

    /// The largest limit that `serve` sets. With a higher limit, some programs start slowly, such as old versions of
    /// `sendmail`, because they close every possible descriptor.
    static let maxFiles = 1 << 20
    /// The largest number of connections. Each needs about 30 KiB of memory.
    static let maxConnections = 32_768
    /// With fewer connections `serve` does not start.
    static let minConnections = 16
    /// With fewer connections `doctor` warns.
    static let recommendedConnections = 1_024
    /// The share of connections that event streams may use. The rest is reserved for requests.
    static let shareOfViewers = 0.75
    static let maxViewers = 20_000
    /// The number of descriptors of the health port: its connections and its event loop.
    static let healthPort = 35

    /// The soft limit that `serve` sets.
    var raised: Int { max(soft, min(hard, Self.maxFiles)) }

    /// The number of descriptors reserved for other purposes. About 20 are open without any request. The rest is for
    /// exports, images, webhooks, mails, name lookups, child processes and libdispatch. Each event loop needs three,
    /// and each database connection may need another to cancel a statement.
    static func reserve(processors: Int, databaseConnections: Int) -> Int {
        96 + 3 * processors + 2 * databaseConnections
    }

    /// The maximum number of connections. Less than `minConnections`, possibly negative, if the limit is too low to
    /// serve.
    func connections(processors: Int, databaseConnections: Int) -> Int {
        min(
            Self.maxConnections,
            raised - Self.reserve(processors: processors, databaseConnections: databaseConnections))
    }

    /// The maximum number of event streams for this number of connections.
    static func viewers(connections: Int) -> Int {
        min(maxViewers, Int(Double(connections) * shareOfViewers))
    }

    // MARK: This process

    static var current: OpenFileLimit {
        var limit = rlimit()
        getrlimit(resource, &limit)
        return OpenFileLimit(soft: Int(clamping: limit.rlim_cur), hard: Int(clamping: limit.rlim_max))
    }

    /// Raises the soft limit and returns the resulting limit as both soft and hard. If the system refuses, as Linux
    /// does above `fs.nr_open`, the limit is unchanged.
    ///
    /// - Parameter setSoftLimit: Sets the soft limit of this process, if the system allows it.
    static func raise(_ setSoftLimit: (Int) -> Void = setSoftLimit) -> OpenFileLimit {
        let before = current
        if before.raised > before.soft { setSoftLimit(before.raised) }
        let inForce = current.soft
        return OpenFileLimit(soft: inForce, hard: inForce)
    }

    private static func setSoftLimit(_ files: Int) {
        var limit = rlimit()
        getrlimit(resource, &limit)
        limit.rlim_cur = rlim_t(files)
        setrlimit(resource, &limit)
    }

    #if canImport(Darwin)
        private static var resource: Int32 { RLIMIT_NOFILE }
    #else
        private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
    #endif
}

extension Settings {
    /// The number of connections that a service with these settings accepts under a limit of open files.
    func connections(
        under limit: OpenFileLimit, processors: Int = ProcessInfo.processInfo.activeProcessorCount
    ) -> Int {
        // In addition to the pool and the intake, there are connections for exports, notifications and readiness.
        let toWorkers = workerURLs.count * (intakeConnections + 1)
        let connections = limit.connections(
            processors: processors, databaseConnections: poolSize + intakeConnections + toWorkers + 8)
        return healthPort == nil ? connections : connections - OpenFileLimit.healthPort
    }
}
