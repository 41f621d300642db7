import Synchronization

/// A cache bounded by a number of values and of bytes.
///
/// When the cache is full, the least recently used eighth of its entries is removed at once, so that the cost of
/// finding them is shared by many insertions.
public final class LRUCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry {
        var value: Value
        var bytes: Int
        var lastUse: Int
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var bytes = 0
        var uses = 0

        mutating func find(_ key: Key) -> Value? {
            guard let index = entries.index(forKey: key) else { return nil }
            uses += 1
            entries.values[index].lastUse = uses
            return entries.values[index].value
        }

        mutating func remove(_ key: Key) {
            if let removed = entries.removeValue(forKey: key) { bytes -= removed.bytes }
        }

        /// Removes the least recently used entries until at most `count` entries and `limit` bytes are left.
        mutating func trim(count: Int, bytes limit: Int) {
            let lastUses = entries.map { (key: $0.key, lastUse: $0.value.lastUse) }
            for (key, _) in lastUses.sorted(by: { $0.lastUse < $1.lastUse }) {
                guard entries.count > count || bytes > limit else { return }
                remove(key)
            }
        }
    }

    private let capacity: Int
    private let maxBytes: Int
    private let state = Mutex(State())

    public init(capacity: Int, maxBytes: Int) {
        self.capacity = capacity
        self.maxBytes = maxBytes
    }

    public func find(_ key: Key) -> Value? { state.withLock { $0.find(key) } }

    public func remove(_ key: Key) { state.withLock { $0.remove(key) } }

    /// Inserts a value, unless it alone is larger than `maxBytes`.
    ///
    /// - Parameters:
    ///   - size: The approximate size of the value in bytes.
    ///   - shouldReplace: Whether to replace the value that is already cached for the key.
    public func insert(
        _ value: Value, for key: Key, bytes size: Int, replacingIf shouldReplace: (Value) -> Bool = { _ in true }
    ) {
        state.withLock { state in
            if let existing = state.entries[key] {
                guard shouldReplace(existing.value) else { return }
                state.remove(key)
            }
            guard size <= maxBytes else { return }
            if state.entries.count >= capacity || state.bytes > maxBytes - size {
                state.trim(
                    count: capacity - max(capacity / 8, 1), bytes: min(maxBytes - maxBytes / 8, maxBytes - size))
            }
            state.uses += 1
            state.entries[key] = Entry(value: value, bytes: size, lastUse: state.uses)
            state.bytes += size
        }
    }

    /// The number of cached values and their total size.
    public var size: (count: Int, bytes: Int) { state.withLock { ($0.entries.count, $0.bytes) } }
}
