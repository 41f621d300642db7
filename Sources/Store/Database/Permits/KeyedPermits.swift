import Synchronization

/// Limits how many requests with the same key run at once, and how many of all keys. A key is an account or an address.
/// Requests beyond that wait in the order of their arrival.
public final class KeyedPermits<Key: Hashable & Sendable>: Sendable {
    /// The right to run one request of a key, until it is deallocated.
    public final class Share: Sendable {
        /// That of the key, and that of all keys if they are limited.
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
        /// The requests that run or wait. Without any, the key is forgotten.
        var count = 0
    }

    private let count: Int
    /// The permits of all keys together.
    private let all: Semaphore?
    private let requests = Mutex<[Key: Requests]>([:])

    /// - Parameters:
    ///   - count: The largest number of one key at once.
    ///   - total: The largest number of all keys at once; nil for any number.
    public init(_ count: Int, total: Int? = nil) {
        self.count = count
        all = total.map { Semaphore($0) }
    }

    /// Waits for a share. Throws 503 with `reason` if none becomes free before the timeout.
    public func acquire(
        for key: Key, within timeout: Duration, else reason: String, retryAfter: Int
    ) async throws -> Share {
        let semaphore = requests.withLock { requests in
            var own = requests[key] ?? Requests(semaphore: Semaphore(count))
            own.count += 1
            requests[key] = own
            return own.semaphore
        }
        do {
            // First its own, so that the waiting requests of one key take none of the others' permits.
            let permit = try await semaphore.acquire(within: timeout, else: reason, retryAfter: retryAfter)
            let shared = try await all?.acquire(within: timeout, else: reason, retryAfter: retryAfter)
            return Share([permit, shared].compactMap(\.self)) { [self] in leave(key) }
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
