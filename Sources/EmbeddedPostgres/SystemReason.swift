#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The system's message for the failure of the last call.
struct SystemReason: CustomStringConvertible {
    let description: String

    static var current: SystemReason { SystemReason(description: String(cString: strerror(errno))) }
}
