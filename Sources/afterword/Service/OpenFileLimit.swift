import Foundation

/// The limit of open files (`RLIMIT_NOFILE`), and the connections that it leaves room for.
///
/// A process without a free descriptor can neither accept nor reach its database, and on Linux libdispatch ends it: so
/// connections are bounded well below the limit.
struct OpenFileLimit: Equatable, Sendable {
    /// In force now.
    var soft: Int
    /// What the process may raise the soft limit to.
    var hard: Int

    /// Above it some programs, such as an old `sendmail`, take long to start: they close each possible descriptor.
    static let mostFiles = 1 << 20
    /// A connection costs some 30 KiB of memory.
    static let mostConnections = 32_768
    /// With fewer connections `serve` does not start.
    static let fewestConnections = 16
    /// With fewer connections `doctor` warns.
    static let recommendedConnections = 1_024
    /// Of the connections, those that event streams may take; the rest is for requests.
    static let shareOfViewers = 0.75
    static let mostViewers = 20_000
    /// Descriptors of the health port: its connections and its event loop.
    static let healthPort = 35

    /// The soft limit that `serve` sets.
    var raised: Int { max(soft, min(hard, Self.mostFiles)) }

    /// How many descriptors are kept for everything but connections: some 20 are open without a request, and the rest is
    /// for exports, images, webhooks, mails, the names of their hosts, programs that are started, and libdispatch. Event
    /// loops take three each, and each connection to the database may need another one to cancel a statement.
    static func reserve(processors: Int, databaseConnections: Int) -> Int {
        96 + 3 * processors + 2 * databaseConnections
    }

    /// The most connections at once; less than `fewestConnections`, also negative, where the limit is too low to serve.
    func connections(processors: Int, databaseConnections: Int) -> Int {
        min(
            Self.mostConnections,
            raised - Self.reserve(processors: processors, databaseConnections: databaseConnections))
    }

    /// The most event streams at once, beside as many connections.
    static func viewers(connections: Int) -> Int {
        min(mostViewers, Int(Double(connections) * shareOfViewers))
    }

    // MARK: This process

    static var current: OpenFileLimit {
        var limit = rlimit()
        getrlimit(resource, &limit)
        return OpenFileLimit(limit)
    }

    /// Raises the soft limit and returns what is in force afterwards, as both limits. Where the system refuses, as Linux
    /// does above `fs.nr_open`, the old one stays.
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

extension OpenFileLimit {
    private init(_ limit: rlimit) {
        self.init(soft: Int(clamping: limit.rlim_cur), hard: Int(clamping: limit.rlim_max))
    }
}

extension Settings {
    /// How many connections a service with these settings takes under a limit of open files.
    func connections(
        under limit: OpenFileLimit, processors: Int = ProcessInfo.processInfo.activeProcessorCount
    ) -> Int {
        // Beside the pool and the intake there are connections for exports, for listening and for readiness.
        let connections = limit.connections(
            processors: processors, databaseConnections: poolSize + intakeConnections + 8)
        return healthPort == nil ? connections : connections - OpenFileLimit.healthPort
    }
}
