import BlockingWork

/// Hashes passwords on separate threads, two at a time, so that sign-in attempts can't starve other work.
public final class PasswordHasher: Sendable {
    public typealias Overloaded = BlockingWork.Overloaded

    private let work = BlockingWork("afterword.passwords", maximumRunning: 2, maximumWaiting: 200)

    public init() {}

    public func hash(_ password: String) async throws -> String {
        guard password.utf8.count <= PasswordHash.maximumBytes else { throw PasswordHash.Failure.passwordTooLong }
        return try await work.run {
            Result { () throws(PasswordHash.Failure) in try PasswordHash.make(password) }
        }.get()
    }

    /// Throws only `Overloaded`. Returns false for a password that is too long.
    public func verify(_ password: String, _ hash: String) async throws(Overloaded) -> Bool {
        guard password.utf8.count <= PasswordHash.maximumBytes else { return false }
        return try await work.run { PasswordHash.verify(password, hash) }
    }
}
