import Foundation

/// The three streams that a program is given, of which a shell or a supervisor may have closed some (`>&-`).
///
/// The first files that a program opens take the free numbers: a table would be written to a connection to the database,
/// or wait for ever at what tells of the others. So the numbers are taken before anything else is opened.
enum StandardStreams {
    /// Those that were closed when the program began.
    private static let closed: Set<Int32> = {
        var closed: Set<Int32> = []
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number is given, which is this one.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_RDONLY : O_WRONLY)
            closed.insert(descriptor)
        }
        return closed
    }()

    /// Puts the empty device where a stream is closed. Comes first.
    static func reserve() { _ = closed }

    /// Throws when answers would go nowhere.
    static func requireOutput() throws(Failure) {
        guard closed.contains(STDOUT_FILENO) else { return }
        throw Failure("The standard output is closed: give the answer somewhere to go, such as > FILE.")
    }

    static func requireInput() throws(Failure) {
        guard closed.contains(STDIN_FILENO) else { return }
        throw Failure("The standard input is closed: there is nothing to read, so name a file.")
    }
}
