import Postgres
import Synchronization

/// Runs at most one load per key at a time. Concurrent callers for the same key share its outcome.
///
/// A cancelled caller returns immediately and leaves the load to the others. If it was the last, the load is cancelled.
public final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The outcome of a load. `isShared` is true if the load was already running when it was requested, so that it may
    /// have missed the latest changes.
    public typealias LoadResult = (outcome: Result<Value, any Error>, isShared: Bool)

    private struct Caller {
        var continuation: CheckedContinuation<LoadResult, Never>
        var isShared: Bool
    }

    private struct Flight {
        var key: Key
        var task: Task<Void, Never>
        var callers: [Int: Caller] = [:]
    }

    private struct Flights {
        /// The flight that new callers of a key join.
        var current: [Key: Int] = [:]
        var running: [Int: Flight] = [:]
        var lastID = 0

        mutating func nextID() -> Int {
            lastID += 1
            return lastID
        }

        mutating func remove(_ id: Int) -> (flight: Flight, isCurrent: Bool)? {
            guard let flight = running.removeValue(forKey: id) else { return nil }
            guard current[flight.key] == id else { return (flight, false) }
            current[flight.key] = nil
            return (flight, true)
        }
    }

    /// The error that the pool throws to a cancelled caller.
    private static var cancelled: PostgresError { PostgresError(.cancelled, "the task was cancelled") }

    private let flights = Mutex(Flights())

    public init() {}

    /// Returns the outcome of the running load for the key, or of a new one. A new load uses the database for the
    /// client of the caller.
    ///
    /// - Parameter store: Called with the loaded value, unless the load was abandoned. It must not block.
    public func value(
        for key: Key, storing store: @escaping @Sendable (Value) -> Void,
        load: @escaping @Sendable () async throws -> Value
    ) async -> LoadResult {
        let callerID = flights.withLock { $0.nextID() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isCancelled = flights.withLock { flights in
                    // Checked under the lock: a later cancellation finds the caller in its flight.
                    if Task.isCancelled { return true }
                    let shared = flights.current[key]
                    let id = shared ?? begin(key, in: &flights, storing: store, load: load)
                    flights.running[id]?.callers[callerID] = Caller(
                        continuation: continuation, isShared: shared != nil)
                    return false
                }
                if isCancelled { continuation.resume(returning: (.failure(Self.cancelled), false)) }
            }
        } onCancel: {
            leave(callerID)
        }
    }

    /// Starts a load without waiting for it, unless one is running. It is a load of the service, not of a client, because
    /// callers of any client may join it.
    func refresh(
        _ key: Key, storing store: @escaping @Sendable (Value) -> Void,
        load: @escaping @Sendable () async throws -> Value
    ) {
        flights.withLock { flights in
            guard flights.current[key] == nil else { return }
            _ = DatabaseClient.service.start { begin(key, in: &flights, storing: store, load: load) }
        }
    }

    /// Lets the running load finish for its callers without storing its value. The next caller starts a new load.
    ///
    /// - Parameter forgetting: Removes the stored value. Called under the same lock as `store`.
    func abandon(_ key: Key, forgetting: () -> Void) {
        flights.withLock { flights in
            flights.current[key] = nil
            forgetting()
        }
    }

    private func begin(
        _ key: Key, in flights: inout Flights, storing store: @escaping @Sendable (Value) -> Void,
        load: @escaping @Sendable () async throws -> Value
    ) -> Int {
        let id = flights.nextID()
        // This is not a child task of the caller, because the caller's cancellation must not end the load for the
        // others.
        let task = Task {
            let outcome: Result<Value, any Error>
            do { outcome = .success(try await load()) } catch { outcome = .failure(error) }
            finish(id, outcome, storing: store)
        }
        flights.running[id] = Flight(key: key, task: task)
        flights.current[key] = id
        return id
    }

    private func finish(_ id: Int, _ outcome: Result<Value, any Error>, storing store: (Value) -> Void) {
        let callers = flights.withLock { flights -> [Caller] in
            guard let (flight, isCurrent) = flights.remove(id) else { return [] }
            if isCurrent, case .success(let value) = outcome { store(value) }
            return Array(flight.callers.values)
        }
        for caller in callers { caller.continuation.resume(returning: (outcome, caller.isShared)) }
    }

    private func leave(_ callerID: Int) {
        let (caller, abandonedTask) = flights.withLock { flights -> (Caller?, Task<Void, Never>?) in
            guard let id = flights.running.first(where: { $0.value.callers[callerID] != nil })?.key,
                let caller = flights.running[id]?.callers.removeValue(forKey: callerID)
            else { return (nil, nil) }
            guard flights.running[id]?.callers.isEmpty == true else { return (caller, nil) }
            return (caller, flights.remove(id)?.flight.task)
        }
        abandonedTask?.cancel()
        caller?.continuation.resume(returning: (.failure(Self.cancelled), false))
    }
}
