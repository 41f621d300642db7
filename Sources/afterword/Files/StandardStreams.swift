import Foundation

/// The three standard streams, some of which a shell or a supervisor may have closed (`>&-`).
///
/// If they stayed closed, the files that the program opens first would get their descriptors: a table would be written
/// to a database connection, or a read would wait forever on an internal descriptor. Closed streams are therefore
/// replaced before anything else is opened.
enum StandardStreams {
    /// The streams that were closed at the start.
    private static let closed: Set<Int32> = {
        var closed: Set<Int32> = []
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // `open` returns the lowest free descriptor, which is this one.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_RDONLY : O_WRONLY)
            closed.insert(descriptor)
        }
        return closed
    }()

    /// Opens `/dev/null` for every closed stream. Must be called first.
    static func reserve() { _ = closed }

    /// Throws if standard output is closed.
    static func requireOutput() throws(Failure) {
        guard closed.contains(STDOUT_FILENO) else { return }
        throw Failure("The standard output is closed: redirect it, for example with > FILE.")
    }

    static func requireInput() throws(Failure) {
        guard closed.contains(STDIN_FILENO) else { return }
        throw Failure("The standard input is closed, so there is nothing to read: name a file.")
    }
}
