import BlockingWork

/// Hashes passwords on separate threads, two at a time, so that sign-in attempts can't starve other work.
public final class PasswordHasher: Sendable {
    public typealias Overloaded = BlockingWork.Overloaded

    private let work: BlockingWork

    public init(atOnce width: Int = 2, waiting bound: Int = 200) {
        work = BlockingWork("afterword.passwords", atOnce: width, waiting: bound)
    }

    public func hash(_ password: String) async throws -> String {
        guard password.utf8.count <= PasswordHash.maximumBytes else { throw PasswordHash.Failure.passwordTooLong }
        return try await work.run {
            Result { () throws(PasswordHash.Failure) in try PasswordHash.make(password) }
        }.get()
    }

    /// Throws only `Overloaded`. A password that is too long is wrong.
    public func verify(_ password: String, _ hash: String) async throws(Overloaded) -> Bool {
        guard password.utf8.count <= PasswordHash.maximumBytes else { return false }
        return try await work.run { PasswordHash.verify(password, hash) }
    }
}
