import Cryptography
import Domain
import Foundation
import HTTPServer
import Store

/// Checks the password of a signed-in account, for actions for which the session alone is not enough.
///
/// Wrong passwords are limited for each account, so that the holder of a stolen session cannot guess. All routes that
/// ask for the password share the limit.
struct OwnPasswordCheck: Sendable {
    let store: Store
    let hasher: PasswordHasher
    let log: SecurityLog
    private static let limit = Attempts.Limit("password-checks", 10, per: 900)

    /// Returns the stored hash of the password. Throws 422 for a wrong password, and 429 past the limit.
    ///
    /// - Parameter pointer: The location of the password in the request's body.
    func require(_ password: String, at pointer: String, of accountID: UUID, _ request: APIRequest) async throws
        -> String
    {
        // Counted before verification, so that concurrent attempts cannot exceed the limit.
        let counter = Self.limit.counter(accountID.lowercased)
        let counts = try await store.attempts.take([counter])
        if let wait = counts.wait {
            record(.passwordCheckLocked, accountID, request)
            throw Problem(.tooManyRequests, retryAfter: wait)
        }
        let hash: String?
        do {
            hash = try await correctHash(password, of: accountID, from: request.clientAddress)
        } catch {
            await store.attempts.giveBack(counter)
            throw error
        }
        guard let hash else {
            record(.passwordCheckFailed, accountID, request)
            if counts.contains(where: \.isUsedUp) { record(.passwordCheckLocked, accountID, request) }
            throw Problem.wrongPassword(at: pointer)
        }
        await store.attempts.clear(counter)
        record(.passwordChecked, accountID, request)
        return hash
    }

    /// Nil if the password is wrong or has expired.
    private func correctHash(
        _ password: String, of accountID: UUID, from client: ClientAddress
    ) async throws -> String? {
        guard let hash = try await store.profiles.passwordHash(of: accountID) else { return nil }
        return try await hasher.verify(password, hash, for: client.text) ? hash : nil
    }

    private func record(_ event: SecurityLog.Event, _ accountID: UUID, _ request: APIRequest) {
        log.record(event, account: accountID, client: request.clientAddress, request: request.id)
    }
}
