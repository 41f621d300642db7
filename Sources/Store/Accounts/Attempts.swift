import Cryptography
import Postgres
import Synchronization

/// Counts attempts, such as failed sign-ins, within sliding time windows. All instances count together.
///
/// The database stores keyed hashes instead of accounts and addresses, for at most as long as the window.
public final class Attempts: Sendable {
    /// The number of attempts that are allowed for each key within a time window.
    public struct Limit: Sendable {
        let name: String
        let count: Int
        let seconds: Int

        /// - Parameter name: Must differ from the names of other limits.
        public init(_ name: String, _ count: Int, per seconds: Int) {
            (self.name, self.count, self.seconds) = (name, count, seconds)
        }

        /// The counter of this limit for a key, such as an account or an address.
        public func counter(_ key: String) -> Counter { Counter(limit: self, key: key) }
    }

    public struct Counter: Sendable {
        let limit: Limit
        let key: String
    }

    /// A counter after an attempt.
    public struct Count: Sendable, Equatable {
        /// The seconds until another attempt is allowed, if the counter was already used up.
        public var wait: Int?
        /// The number of further attempts that are allowed now.
        public var left: Int

        public var isUsedUp: Bool { left == 0 }
    }

    /// For how long a refusal is repeated without the database, so that a flood of refused attempts costs one statement
    /// a second.
    private static let refusalLifetime: Duration = .seconds(1)

    private let pool: Pool
    private let keys: KeyRing
    /// Refusals by the hashes of their counters.
    private let refusals = Mutex<[[[UInt8]]: (counts: [Count], until: ContinuousClock.Instant)]>([:])

    init(pool: Pool, keys: KeyRing) {
        (self.pool, self.keys) = (pool, keys)
    }

    /// Counts one attempt under each counter, so that concurrent attempts cannot exceed a limit. If one of the counters
    /// is used up, counts nothing; the `wait` of that counter is then set.
    ///
    /// - Parameter counters: All calls must use the same order, because each counter is locked until the commit.
    public func take(_ counters: [Counter]) async throws -> [Count] {
        let hashes = try counters.map(hash)
        if let refusal = refusals.withLock({ $0[hashes] }), refusal.until > .now { return refusal.counts }
        let counts = try await pool.withConnection { try await Self.take(counters, hashes, on: $0) }
        if counts.wait != nil { remember(counts, of: hashes) }
        return counts
    }

    /// Counts one attempt in a transaction.
    func take(_ counter: Counter, on connection: Connection) async throws -> Count {
        let counts = try await Self.take([counter], [hash(counter)], on: connection)
        return counts[0]
    }

    private static func take(
        _ counters: [Counter], _ hashes: [[UInt8]], on connection: Connection
    ) async throws -> [Count] {
        let rows = try await connection.query(
            """
            SELECT waits, lefts
            FROM take_attempts(\(hashes), \(counters.map { Int32($0.limit.count) }),
                \(counters.map { Int32($0.limit.seconds) }))
            """)
        let (waits, lefts) = try rows.single().decode([Int?].self, [Int].self)
        return zip(waits, lefts).map { Count(wait: $0, left: $1) }
    }

    /// Removes the counter's last attempt, for example if it could not be checked. If the database cannot be reached,
    /// the attempt stays counted.
    public func giveBack(_ counter: Counter) async {
        await change(counter) { hash in
            "UPDATE attempt SET times = trim_array(times, 1) WHERE key = \(hash) AND cardinality(times) > 0"
        }
    }

    /// Forgets all attempts of the counter. If the database cannot be reached, they stay counted.
    public func clear(_ counter: Counter) async {
        await change(counter) { hash in "DELETE FROM attempt WHERE key = \(hash)" }
    }

    private func change(_ counter: Counter, _ statement: @Sendable ([UInt8]) -> Statement) async {
        guard let hash = try? hash(counter) else { return }
        refusals.withLock { $0 = $0.filter { !$0.key.contains(hash) } }
        let statement = statement(hash)
        _ = try? await pool.withConnection { try await $0.execute(statement) }
    }

    private func remember(_ counts: [Count], of hashes: [[UInt8]]) {
        let now = ContinuousClock.now
        refusals.withLock { refusals in
            if refusals.count >= 1_000 { refusals = refusals.filter { $0.value.until > now } }
            // During an attack from many addresses, further refusals are left to the database.
            if refusals.count < 10_000 { refusals[hashes] = (counts, now + Self.refusalLifetime) }
        }
    }

    /// The oldest key is used, because instances that were started before a rotation may not have read the newest one.
    private func hash(_ counter: Counter) throws -> [UInt8] {
        let key = try keys.key(for: .attempts, number: keys.numbers.min())
        return Array(
            HMACSHA256.authenticate(Array("\(counter.limit.name)\n\(counter.key)".utf8), key: key).prefix(16))
    }

    /// The statements of the sweep. They delete counters whose windows have passed.
    static var sweeps: [(name: String, statement: Statement)] {
        [("attempt", "DELETE FROM attempt WHERE expires_at < now()")]
    }
}

extension [Attempts.Count] {
    /// The seconds until all counters allow another attempt; nil if the attempt was counted.
    public var wait: Int? { compactMap(\.wait).max() }
}
