import BlockingWork

/// Hashes passwords on threads of its own, two at once, so that those who try to sign in cannot starve the rest.
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

    /// Throws only `Overloaded`; a password too long is simply wrong.
    public func verify(_ password: String, _ hash: String) async throws(Overloaded) -> Bool {
        guard password.utf8.count <= PasswordHash.maximumBytes else { return false }
        return try await work.run { PasswordHash.verify(password, hash) }
    }
}
