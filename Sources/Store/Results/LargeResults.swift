import BlockingWork
import Domain
import Foundation

/// Limits how many results with many counts are read and rendered at once, so that threads remain for other requests.
///
/// The results of a form with thousands of long options are megabytes of JSON. To read, encode and compress them takes
/// more than half a second of processor time, each answer changes them, and anybody with the form's code may request
/// them. They are rendered on separate threads. A client has one reading at a time, and the clients take turns.
public final class LargeResults: Sendable {
    let permits: KeyedPermits<DatabaseClient>
    let work: BlockingWork
    /// The forms whose results were large when they were last read.
    private let largeForms = LRUCache<UUID, Bool>(capacity: 10_000, maxBytes: .max)
    /// The largest number of large results that are made at once.
    let maxConcurrent: Int
    private let timeout: Duration

    /// - Parameters:
    ///   - count: The largest number of large results that are made at once.
    ///   - timeout: How long a reading waits for an earlier one of its client, and then for those of other clients.
    init(
        atOnce count: Int = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)) / 2), timeout: Duration = .seconds(5)
    ) {
        permits = KeyedPermits(1, total: count)
        // Only holders of a permit use the threads.
        work = BlockingWork("afterword.results", maximumRunning: count, maximumWaiting: count)
        maxConcurrent = count
        self.timeout = timeout
    }

    static func isLarge(_ results: FormResults) -> Bool {
        var count = 0
        for question in results.questions {
            count += max(1, question.points.count)
            if count > PreparedForm.maxSmallCount { return true }
        }
        return false
    }

    /// Reads results and makes a value from them, on a separate thread if they are large. Throws 503 if no permit becomes
    /// free in time.
    ///
    /// - Parameters:
    ///   - client: The client that takes a turn.
    ///   - make: Makes the value. The second argument is whether the results are large.
    public func make<Value: Sendable>(
        from formID: UUID, for client: DatabaseClient, read: @Sendable () async throws -> FormResults,
        _ make: @escaping @Sendable (FormResults, _ isLarge: Bool) throws -> Value
    ) async throws -> Value {
        let permit = largeForms.find(formID) == true ? try await acquire(for: client) : nil
        let results = try await read()
        let isLarge = Self.isLarge(results)
        if isLarge { largeForms.insert(true, for: formID, bytes: 0) } else { largeForms.remove(formID) }
        return try await compute(with: permit, for: client, isLarge: isLarge) { try make(results, isLarge) }
    }

    /// Renders results that were read before, on a separate thread if they are large. Throws 503 if no permit becomes
    /// free in time.
    public func render<Value: Sendable>(
        _ results: FormResults, for client: DatabaseClient, _ render: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await compute(for: client, isLarge: Self.isLarge(results), render)
    }

    private func compute<Value: Sendable>(
        with held: KeyedPermits<DatabaseClient>.Lease? = nil, for client: DatabaseClient, isLarge: Bool,
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        guard isLarge else { return try body() }
        var permit = held
        if permit == nil { permit = try await acquire(for: client) }
        defer { withExtendedLifetime(permit) {} }
        do {
            return try await work.run { Result(catching: body) }.get()
        } catch is BlockingWork.Overloaded {
            throw Problem(.overloaded, Self.reason, retryAfter: 2)
        }
    }

    private static let reason = "Other large results are being read; try again later."

    private func acquire(for client: DatabaseClient) async throws -> KeyedPermits<DatabaseClient>.Lease {
        try await permits.acquire(for: client, within: timeout, else: Self.reason, retryAfter: 2)
    }
}
