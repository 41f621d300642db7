import Foundation
import Synchronization

/// Limits how many requests of one account run at once, and how many of all accounts, so that they cannot take every
/// connection to the database. Requests beyond that wait in the order of their arrival.
public final class AccountPermits: Sendable {
    /// The right to run one request of an account, until it is deallocated.
    public final class Share: Sendable {
        /// That of the account, and that of all accounts if they are limited.
        private let permits: [Permit]
        private let release: @Sendable () -> Void

        fileprivate init(_ permits: [Permit], release: @escaping @Sendable () -> Void) {
            self.permits = permits
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
    /// The permits of all accounts together.
    private let all: Semaphore?
    private let accounts = Mutex<[UUID: Account]>([:])

    /// - Parameters:
    ///   - count: The largest number of one account at once.
    ///   - total: The largest number of all accounts at once; nil for any number.
    public init(_ count: Int, total: Int? = nil) {
        self.count = count
        all = total.map { Semaphore($0) }
    }

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
            // First its own, so that the waiting requests of one account take none of the others' permits.
            let permit = try await semaphore.acquire(within: timeout, else: reason, retryAfter: retryAfter)
            let shared = try await all?.acquire(within: timeout, else: reason, retryAfter: retryAfter)
            return Share([permit, shared].compactMap(\.self)) { [self] in leave(id) }
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
