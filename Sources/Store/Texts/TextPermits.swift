import Foundation
import Postgres

/// Limits the number of concurrent readings of texts, and the cost of each.
///
/// A page of texts, or a search, may use the database up to the time limit, and anyone with the form's code may request
/// one. So hosts use at most a quarter of the connections, participants another quarter, and each reading ends soon.
///
/// An account has one reading at a time, and so has an address for each form, of which two can be read at once. The readers
/// of one form leave a permit to those of other forms, so that many addresses don't delay them either.
final class TextPermits: Sendable {
    /// Settings of one reading: a time limit for each statement, after which the response is 503, and plans that read
    /// rows in the order of an index, a chunk at a time. If tables have grown since their last ANALYZE, the planner
    /// would otherwise scan and sort all rows of a form for each chunk.
    static let limits: Statement = """
        SELECT set_config('statement_timeout', '2s', true), set_config('enable_seqscan', 'off', true),
            set_config('enable_bitmapscan', 'off', true), set_config('enable_sort', 'off', true),
            set_config('jit', 'off', true)
        """

    /// Who reads texts, for the client of the current task.
    enum Reader: Sendable {
        /// An account.
        case host
        /// A participant, or a person with a share link.
        case guest(formID: UUID)
    }

    private struct Guest: Hashable {
        var client: DatabaseClient
        var formID: UUID
    }

    /// The right to read once, until it is deallocated.
    struct Lease: Sendable {
        fileprivate var permits: [any Sendable]
    }

    private let hosts: KeyedPermits<DatabaseClient>
    private let guests = KeyedPermits<Guest>(1)
    private let addresses = KeyedPermits<DatabaseClient>(2)
    private let forms: KeyedPermits<UUID>

    init(poolSize: Int) {
        let total = max(1, poolSize / 4)
        hosts = KeyedPermits(1, total: total)
        forms = KeyedPermits(max(1, total - 1), total: total)
    }

    /// Throws 503 if no permit becomes free in time.
    func acquire(for reader: Reader) async throws -> Lease {
        let client = DatabaseClient.current
        let (timeout, reason) = (Duration.seconds(2), "Too many texts are being read; try again later.")
        switch reader {
        case .host:
            // The pages of an account in several tabs wait for each other.
            return Lease(
                permits: [try await hosts.acquire(for: client, within: .seconds(5), else: reason, retryAfter: 2)])
        case .guest(let formID):
            let guest = Guest(client: client, formID: formID)
            let own = try await guests.acquire(for: guest, within: timeout, else: reason, retryAfter: 2)
            let address = try await addresses.acquire(for: client, within: timeout, else: reason, retryAfter: 2)
            let shared = try await forms.acquire(for: formID, within: timeout, else: reason, retryAfter: 2)
            return Lease(permits: [own, address, shared])
        }
    }
}
