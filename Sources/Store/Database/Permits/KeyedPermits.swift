import Synchronization

/// Limits the number of concurrent requests for each key, and optionally for all keys together. A key is an account or
/// an address. Requests beyond a limit wait in the order of their arrival.
public final class KeyedPermits<Key: Hashable & Sendable>: Sendable {
    /// The right to run one request of a key, until it is deallocated.
    public final class Lease: Sendable {
        /// The permit for the key, and one of `totalPermits` if that limit exists.
        private let permits: [Permit]
        private let release: @Sendable () -> Void

        fileprivate init(_ permits: [Permit], release: @escaping @Sendable () -> Void) {
            self.permits = permits
            self.release = release
        }

        deinit { release() }
    }

    private struct Requests {
        let semaphore: Semaphore
        /// The number of requests that run or wait. When there are none, the key is removed.
        var count = 0
    }

    private let count: Int
    /// The permits for all keys together; nil if only each key is limited.
    private let totalPermits: Semaphore?
    private let requests = Mutex<[Key: Requests]>([:])

    /// - Parameters:
    ///   - count: The maximum number of concurrent requests for one key.
    ///   - total: The maximum number of concurrent requests for all keys together; nil for no limit.
    public init(_ count: Int, total: Int? = nil) {
        self.count = count
        totalPermits = total.map { Semaphore($0) }
    }

    /// Waits for a lease. Throws 503 with `reason` if none becomes free before the timeout.
    public func acquire(
        for key: Key, within timeout: Duration, else reason: String, retryAfter: Int
    ) async throws -> Lease {
        let semaphore = requests.withLock { requests in
            var requestsOfKey = requests[key] ?? Requests(semaphore: Semaphore(count))
            requestsOfKey.count += 1
            requests[key] = requestsOfKey
            return requestsOfKey.semaphore
        }
        do {
            // The key's permit is acquired first, so that requests that wait for it take no permits from other keys.
            let permit = try await semaphore.acquire(within: timeout, else: reason, retryAfter: retryAfter)
            let shared = try await totalPermits?.acquire(within: timeout, else: reason, retryAfter: retryAfter)
            return Lease([permit, shared].compactMap(\.self)) { [self] in leave(key) }
        } catch {
            leave(key)
            throw error
        }
    }

    /// The number of keys with requests that run or wait.
    var keyCount: Int { requests.withLock(\.count) }

    private func leave(_ key: Key) {
        requests.withLock { requests in
            requests[key]?.count -= 1
            if requests[key]?.count == 0 { requests[key] = nil }
        }
    }
}
