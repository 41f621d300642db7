#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// An installed PostgreSQL: the folder of its programs and its major version.
struct PostgresBinaries: Equatable, Sendable {
    static let oldestMajor = 15

    let folder: String
    let major: Int

    func path(_ program: String) -> String { folder + "/" + program }
}

/// The system's message for the failure of the last call.
struct SystemReason: CustomStringConvertible {
    let description: String

    static var current: SystemReason { SystemReason(description: String(cString: strerror(errno))) }
}
