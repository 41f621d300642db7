import Store

/// Keeps values that were made from the results of forms, such as rendered bodies, each with the state for which it was
/// made.
///
/// Callers read the current state from the database first, and get a value of that state or a newer one. If several
/// callers need the same value at the same time, it is made once for all of them.
///
/// A form that gets many answers has a new state for almost every caller. While a value is being made for all clients,
/// the callers for later states wait, and then the newest state is made once for all of them.
final class StateCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    struct Entry: Sendable {
        var value: Value
        /// The state of the value. Nil if the value must not be kept.
        var state: ResultsState?
        /// The approximate size of the value.
        var bytes: Int
    }

    private struct Flight: Hashable, Sendable {
        var key: Key
        var state: ResultsState
    }

    private let values: LRUCache<Key, (state: ResultsState, value: Value)>
    private let flights = SingleFlight<Flight, Value>()
    private let readsForAllClients: Bool
    /// The right to make a value of a key for all clients.
    let turns = KeyedPermits<Key>(1)

    /// - Parameters:
    ///   - capacity: The maximum number of values.
    ///   - maxBytes: The maximum size of all values together. The results of 100 questions may occupy half a megabyte.
    ///   - readsForAllClients: Whether values are read with the turns of the service, because many clients wait for each
    ///     of them. Otherwise they are read with those of the client that is the first to need them.
    init(capacity: Int, maxBytes: Int, readsForAllClients: Bool = true) {
        self.readsForAllClients = readsForAllClients
        values = LRUCache(capacity: capacity, maxBytes: maxBytes)
    }

    /// Returns a value of this state or a newer one, or makes it. Throws 503 if values of earlier states take too long.
    ///
    /// - Parameter make: Makes the value. It reads its data after the state was read, so the value may be of a newer
    ///   state.
    func value(
        of key: Key, in state: ResultsState, make: @escaping @Sendable () async throws -> Entry
    ) async throws -> Value {
        if let known = find(key, in: state) { return known }
        let result = await flights.value(for: Flight(key: key, state: state), storing: { _ in }) { [self] in
            guard readsForAllClients else { return try await load(key, in: state, make) }
            let turn = try await turns.acquire(
                for: key, within: .seconds(5), else: "These results are being read; try again later.", retryAfter: 2)
            defer { withExtendedLifetime(turn) {} }
            return try await DatabaseClient.service.run { try await load(key, in: state, make) }
        }
        return try result.outcome.get()
    }

    private func find(_ key: Key, in state: ResultsState) -> Value? {
        values.find(key).flatMap { $0.state.covers(state) ? $0.value : nil }
    }

    private func load(
        _ key: Key, in state: ResultsState, _ make: @Sendable () async throws -> Entry
    ) async throws -> Value {
        // Another flight may have ended after this caller had looked in vain.
        if let known = find(key, in: state) { return known }
        let made = try await make()
        if let state = made.state {
            values.insert((state, made.value), for: key, bytes: made.bytes) { !$0.state.covers(state) }
        }
        return made.value
    }
}
