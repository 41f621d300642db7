import BlockingWork
import Domain
import Foundation

/// Limits how many results with many counts are read and rendered at once, so that threads remain for other requests.
///
/// The results of a form with thousands of long options are megabytes of JSON. To read, encode and compress them takes
/// more than half a second of processor time, each answer changes them, and anybody with the form's code may request
/// them. They are rendered on separate threads. A client reads one form at a time, and the forms take turns.
public final class LargeResults: Sendable {
    /// What takes turns with others.
    enum Turn: Hashable, Sendable {
        /// The readers of a form, which share each reading.
        case form(UUID)
        /// The client of a filter, which nobody shares.
        case client(DatabaseClient)
    }

    let permits: KeyedPermits<Turn>
    private let admissions = OneFormPerClient()
    let work: BlockingWork
    /// The forms whose results were large when they were last read.
    private let largeForms = LRUCache<UUID, Bool>(capacity: 10_000, maxBytes: .max)
    /// The largest number of large results that are made at once.
    let maxConcurrent: Int
    private let timeout: Duration

    /// - Parameters:
    ///   - count: The largest number of large results that are made at once.
    ///   - timeout: How long a reading waits for those of other forms by its client, and then for those of others.
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
    /// - Parameter make: Makes the value. The second argument is whether the results are large.
    public func make<Value: Sendable>(
        from formID: UUID, read: @Sendable () async throws -> FormResults,
        _ make: @escaping @Sendable (FormResults, _ isLarge: Bool) throws -> Value
    ) async throws -> Value {
        let permit = largeForms.find(formID) == true ? try await acquire(for: .form(formID)) : nil
        let results = try await read()
        let isLarge = Self.isLarge(results)
        if isLarge { largeForms.insert(true, for: formID, bytes: 0) } else { largeForms.remove(formID) }
        return try await compute(with: permit, for: .form(formID), isLarge: isLarge) { try make(results, isLarge) }
    }

    /// Reads a form's results, or a value that readers share, once the current client reads no other large form. Throws
    /// 503 if that takes too long.
    public func admitted<Value: Sendable>(
        to formID: UUID, _ read: () async throws -> Value
    ) async throws -> Value {
        guard largeForms.find(formID) == true else { return try await read() }
        let lease = try await admissions.acquire(
            for: .current, reading: formID, within: timeout, else: Self.reason)
        defer { withExtendedLifetime(lease) {} }
        return try await read()
    }

    /// Renders results that were read before, on a separate thread if they are large. Throws 503 if no permit becomes
    /// free in time.
    public func render<Value: Sendable>(
        _ results: FormResults, for client: DatabaseClient, _ render: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await compute(for: .client(client), isLarge: Self.isLarge(results), render)
    }

    private func compute<Value: Sendable>(
        with held: KeyedPermits<Turn>.Lease? = nil, for turn: Turn, isLarge: Bool,
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        guard isLarge else { return try body() }
        var permit = held
        if permit == nil { permit = try await acquire(for: turn) }
        defer { withExtendedLifetime(permit) {} }
        do {
            return try await work.run { Result(catching: body) }.get()
        } catch is BlockingWork.Overloaded {
            throw Problem(.overloaded, Self.reason, retryAfter: 2)
        }
    }

    private static let reason = "Other large results are being read; try again later."

    private func acquire(for turn: Turn) async throws -> KeyedPermits<Turn>.Lease {
        try await permits.acquire(for: turn, within: timeout, else: Self.reason, retryAfter: 2)
    }
}
