import BlockingWork

/// Hashes passwords on separate threads, two at a time, so that sign-in attempts can't starve other work. Clients take
/// turns, so that many attempts of one client do not delay those of others.
public final class PasswordHasher: Sendable {
    public typealias Overloaded = BlockingWork.Overloaded

    private let work: BlockingWork

    public convenience init() {
        self.init(
            BlockingWork(
                "afterword.passwords", maximumRunning: 2, maximumWaiting: 200, maximumWaitingPerKey: 100))
    }

    package init(_ work: BlockingWork) { self.work = work }

    /// - Parameter client: The address of the client. Requests without one share their turns.
    /// - Throws: `Overloaded` or `PasswordHash.Failure`.
    public func hash(_ password: String, for client: String = "") async throws -> String {
        guard password.utf8.count <= PasswordHash.maximumBytes else { throw PasswordHash.Failure.passwordTooLong }
        return try await work.run(for: client) {
            Result { () throws(PasswordHash.Failure) in try PasswordHash.make(password) }
        }.get()
    }

    /// Throws only `Overloaded`. Returns false for a password that is too long.
    ///
    /// - Parameter client: The address of the client. Requests without one share their turns.
    public func verify(_ password: String, _ hash: String, for client: String = "") async throws(Overloaded) -> Bool {
        guard password.utf8.count <= PasswordHash.maximumBytes else { return false }
        return try await work.run(for: client) { PasswordHash.verify(password, hash) }
    }
}
