#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The system's words for what made the last call fail.
struct SystemReason: CustomStringConvertible {
    let description: String

    static var current: SystemReason { SystemReason(description: String(cString: strerror(errno))) }
}
