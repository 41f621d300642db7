import Synchronization

/// Values that can be had again, kept within a number of values and of bytes.
///
/// When it is full, the least recently used eighth is dropped at once, so that the cost of finding it is shared by many
/// insertions.
public final class BoundedMemory<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry {
        var value: Value
        var bytes: Int
        var lastUse: Int
    }

    private struct Kept {
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

        /// Drops the least recently used entries until at most this is left.
        mutating func trim(count: Int, bytes limit: Int) {
            let uses = entries.map { (key: $0.key, lastUse: $0.value.lastUse) }
            for (key, _) in uses.sorted(by: { $0.lastUse < $1.lastUse }) {
                guard entries.count > count || bytes > limit else { return }
                remove(key)
            }
        }
    }

    private let room: Int
    private let bytes: Int
    private let kept = Mutex(Kept())

    public init(room: Int, bytes: Int) {
        self.room = room
        self.bytes = bytes
    }

    public func find(_ key: Key) -> Value? { kept.withLock { $0.find(key) } }

    public func remove(_ key: Key) { kept.withLock { $0.remove(key) } }

    /// What is larger than all the room is not kept.
    ///
    /// - Parameters:
    ///   - size: of the value in bytes, about.
    ///   - isOlder: whether a value that is kept under the key gives way.
    public func keep(
        _ value: Value, for key: Key, bytes size: Int, insteadOf isOlder: (Value) -> Bool = { _ in true }
    ) {
        kept.withLock { kept in
            if let known = kept.entries[key] {
                guard isOlder(known.value) else { return }
                kept.remove(key)
            }
            guard size <= bytes else { return }
            if kept.entries.count >= room || kept.bytes > bytes - size {
                kept.trim(count: room - max(room / 8, 1), bytes: min(bytes - bytes / 8, bytes - size))
            }
            kept.uses += 1
            kept.entries[key] = Entry(value: value, bytes: size, lastUse: kept.uses)
            kept.bytes += size
        }
    }

    /// Values that are kept now, and their bytes.
    public var size: (count: Int, bytes: Int) { kept.withLock { ($0.entries.count, $0.bytes) } }
}
