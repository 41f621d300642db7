import Cryptography
import Domain
import Foundation
import Store

/// Checks the password of a signed-in account, for actions for which the session alone is not enough.
///
/// Wrong passwords are limited for each account, so that the holder of a stolen session cannot guess. All routes that
/// ask for the password share the limit.
struct OwnPasswordCheck: Sendable {
    let store: Store
    let hasher: PasswordHasher
    let log: SecurityLog
    private let limit = SlidingLimit<UUID>(10, per: .seconds(900))

    /// Returns the stored hash of the password. Throws 422 for a wrong password, and 429 past the limit.
    ///
    /// - Parameter pointer: The location of the password in the request's body.
    func require(_ password: String, at pointer: String, of accountID: UUID, _ request: APIRequest) async throws
        -> String
    {
        // Counted before verification, so that concurrent attempts cannot exceed the limit.
        do {
            try limit.take(accountID)
        } catch {
            record(.passwordCheckLocked, accountID, request)
            throw error
        }
        let hash: String?
        do {
            hash = try await correctHash(password, of: accountID)
        } catch {
            limit.giveBack(accountID)
            throw error
        }
        guard let hash else {
            record(.passwordCheckFailed, accountID, request)
            if limit.wait(for: accountID) != nil { record(.passwordCheckLocked, accountID, request) }
            throw Problem.wrongPassword(at: pointer)
        }
        limit.clear(accountID)
        record(.passwordChecked, accountID, request)
        return hash
    }

    /// Nil if the password is wrong or has ended.
    private func correctHash(_ password: String, of accountID: UUID) async throws -> String? {
        guard let hash = try await store.profiles.passwordHash(of: accountID) else { return nil }
        return try await hasher.verify(password, hash) ? hash : nil
    }

    private func record(_ event: SecurityLog.Event, _ accountID: UUID, _ request: APIRequest) {
        log.record(event, account: accountID, client: request.clientAddress, request: request.id)
    }
}
