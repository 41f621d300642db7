import Store

/// Keeps values that were made from the results of forms, such as rendered bodies, each with the state for which it was
/// made.
///
/// Callers read the current state from the database first, and get a value of that state or a newer one. If several
/// callers need the same value at the same time, it is made once for all of them.
final class StateCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    struct Entry: Sendable {
        var value: Value
        /// The state of the value. Nil if the value must not be kept.
        var state: ETag?
        /// The approximate size of the value.
        var bytes: Int
    }

    private struct Flight: Hashable, Sendable {
        var key: Key
        var state: ETag
    }

    private let values: LRUCache<Key, (state: ETag, value: Value)>
    private let flights = SingleFlight<Flight, Entry>()
    private let readsForAllClients: Bool

    /// - Parameters:
    ///   - capacity: The maximum number of values.
    ///   - maxBytes: The maximum size of all values together. The results of 100 questions may occupy half a megabyte.
    ///   - readsForAllClients: Whether values are read with the turns of the service, because many clients wait for each
    ///     of them. Otherwise they are read with those of the client that is the first to need them.
    init(capacity: Int, maxBytes: Int, readsForAllClients: Bool = true) {
        self.readsForAllClients = readsForAllClients
        values = LRUCache(capacity: capacity, maxBytes: maxBytes)
    }

    /// Returns the value of this state, or makes it.
    ///
    /// - Parameter make: Makes the value. It reads its data after the state was read, so the value may be of a newer
    ///   state.
    func value(
        of key: Key, in state: ETag, make: @escaping @Sendable () async throws -> Entry
    ) async throws -> Value {
        if let known = values.find(key), known.state == state { return known.value }
        let store: @Sendable (Entry) -> Void = { [values] made in
            if let state = made.state { values.insert((state, made.value), for: key, bytes: made.bytes) }
        }
        let flight = Flight(key: key, state: state)
        let result = await flights.value(for: flight, storing: store) { [values, readsForAllClients] in
            // Another caller's flight may have ended after this caller had looked in vain.
            if let known = values.find(key), known.state == state {
                return Entry(value: known.value, state: nil, bytes: 0)
            }
            return try await (readsForAllClients ? DatabaseClient.service : .current).run { try await make() }
        }
        return try result.outcome.get().value
    }
}
