import Domain
import Foundation
import Synchronization

/// Lets a client read the large results of one form at a time.
///
/// All readers of a form share each reading. If the one that begins it had to wait for readings of other forms that it has
/// begun before, all would wait with it, and be refused with it. So readers wait here, before they join.
final class OneFormPerClient: Sendable {
    /// The right of a client to read a form, until it is deallocated. The readers of one client and form share it.
    final class Lease: Sendable {
        private let permit: KeyedPermits<DatabaseClient>.Lease

        fileprivate init(_ permit: KeyedPermits<DatabaseClient>.Lease) { self.permit = permit }
    }

    private struct Client {
        var formID: UUID?
        weak var lease: Lease?
        /// The number of readers that wait for a lease.
        var waiting = 0
    }

    private let permits = KeyedPermits<DatabaseClient>(1)
    private let clients = Mutex<[DatabaseClient: Client]>([:])

    /// Throws 503 with `reason` if the client's readings of other forms take longer than the timeout.
    func acquire(
        for client: DatabaseClient, reading formID: UUID, within timeout: Duration, else reason: String
    ) async throws -> Lease {
        // A reader that waits for another form has the next turn, even if more of this form arrive.
        let shared = clients.withLock { clients -> Lease? in
            if let known = clients[client], known.formID == formID, known.waiting == 0, let lease = known.lease {
                return lease
            }
            clients[client, default: Client()].waiting += 1
            return nil
        }
        if let shared { return shared }
        do {
            let permit = try await permits.acquire(for: client, within: timeout, else: reason, retryAfter: 2)
            let lease = Lease(permit)
            clients.withLock { clients in
                clients = clients.filter { $0.key == client || $0.value.lease != nil || $0.value.waiting > 0 }
                clients[client]?.waiting -= 1
                clients[client]?.formID = formID
                clients[client]?.lease = lease
            }
            return lease
        } catch {
            clients.withLock { $0[client]?.waiting -= 1 }
            throw error
        }
    }
}
