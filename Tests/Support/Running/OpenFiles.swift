#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The limit on open files in the process that runs the tests, which holds the client ends of all connections.
public enum OpenFiles {
    /// Raises the soft limit to the hard one. Throws if even that is too low.
    public static func raiseLimit(atLeast needed: Int = 4_096) throws {
        var limit = rlimit()
        getrlimit(resource, &limit)
        limit.rlim_cur = limit.rlim_max
        guard limit.rlim_max >= rlim_t(needed) else { throw TestStore.Missing("a limit of \(needed) open files") }
        guard setrlimit(resource, &limit) == 0 else { throw TestStore.Missing("the right to raise the limit") }
    }

    #if canImport(Darwin)
        private static var resource: Int32 { RLIMIT_NOFILE }
    #else
        private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
    #endif
}
