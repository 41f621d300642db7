import Store

/// Keeps what was made from the results of forms, such as rendered bodies, with the state for which it was made.
///
/// Callers read the current state from the database first, and get a value of that state or a newer one. Those who need
/// the same value at the same time share one making.
final class StateCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    struct Made: Sendable {
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
    private let makings = SingleFlight<Flight, Made>()

    /// - Parameters:
    ///   - capacity: The maximum number of values.
    ///   - maxBytes: The maximum size of all values together. The results of 100 questions may have half a megabyte.
    init(capacity: Int, maxBytes: Int) {
        values = LRUCache(capacity: capacity, maxBytes: maxBytes)
    }

    /// Returns the value of this state, or makes it.
    ///
    /// - Parameter make: Reads what it needs after the state was read, so its value may be of a newer state.
    func value(
        of key: Key, in state: ETag, make: @escaping @Sendable () async throws -> Made
    ) async throws -> Value {
        if let known = values.find(key), known.state == state { return known.value }
        let store: @Sendable (Made) -> Void = { [values] made in
            if let state = made.state { values.insert((state, made.value), for: key, bytes: made.bytes) }
        }
        return try await makings.value(for: Flight(key: key, state: state), storing: store, load: make)
            .outcome.get().value
    }
}
