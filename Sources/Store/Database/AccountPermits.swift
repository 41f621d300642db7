import Foundation
import Synchronization

/// Limits how many requests of one account run at once, so that those of one account cannot take every connection to the
/// database. Requests beyond that wait in the order of their arrival.
public final class AccountPermits: Sendable {
    /// The right to run one request of an account, until it is deallocated.
    public final class Share: Sendable {
        private let permit: Permit
        private let release: @Sendable () -> Void

        fileprivate init(_ permit: Permit, release: @escaping @Sendable () -> Void) {
            self.permit = permit
            self.release = release
        }

        deinit { release() }
    }

    private struct Account {
        let semaphore: Semaphore
        /// The requests that run or wait. Without any, the account is forgotten.
        var requests = 0
    }

    private let count: Int
    private let accounts = Mutex<[UUID: Account]>([:])

    /// - Parameter count: The largest number of one account at once.
    public init(_ count: Int) { self.count = count }

    /// Waits for a share. Throws 503 with `reason` if none becomes free before the timeout.
    public func acquire(
        for id: UUID, within timeout: Duration, else reason: String, retryAfter: Int
    ) async throws -> Share {
        let semaphore = accounts.withLock { accounts in
            var account = accounts[id] ?? Account(semaphore: Semaphore(count))
            account.requests += 1
            accounts[id] = account
            return account.semaphore
        }
        do {
            let permit = try await semaphore.acquire(within: timeout, else: reason, retryAfter: retryAfter)
            return Share(permit) { [self] in leave(id) }
        } catch {
            leave(id)
            throw error
        }
    }

    /// The number of accounts with requests that run or wait.
    var accountCount: Int { accounts.withLock(\.count) }

    private func leave(_ id: UUID) {
        accounts.withLock { accounts in
            accounts[id]?.requests -= 1
            if accounts[id]?.requests == 0 { accounts[id] = nil }
        }
    }
}
