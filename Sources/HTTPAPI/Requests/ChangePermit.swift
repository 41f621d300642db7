import Foundation
import Store
import Synchronization

/// The permit of a request that makes changes. The request holds it from its start to its response, except while the
/// body arrives, because a slow client must not keep the changes of others waiting.
final class ChangePermit: Sendable {
    private let acquire: @Sendable () async throws -> KeyedPermits<UUID>.Lease
    private let lease = Mutex<KeyedPermits<UUID>.Lease?>(nil)

    init(acquire: @escaping @Sendable () async throws -> KeyedPermits<UUID>.Lease) { self.acquire = acquire }

    /// Waits for the permit. Throws 503 if it takes too long.
    func take() async throws {
        let acquired = try await acquire()
        lease.withLock { $0 = acquired }
    }

    func giveBack() { lease.withLock { $0 = nil } }
}
