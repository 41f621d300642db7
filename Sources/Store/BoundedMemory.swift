import Synchronization

/// What can be had again, kept while there is room for it: so many values, of so many bytes together.
///
/// A full one is emptied: what is asked for most is soon there again.
public final class BoundedMemory<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Kept {
        var values: [Key: (value: Value, bytes: Int)] = [:]
        var bytes = 0
    }

    private let room: Int
    private let bytes: Int
    private let kept = Mutex(Kept())

    public init(room: Int, bytes: Int) {
        self.room = room
        self.bytes = bytes
    }

    public func find(_ key: Key) -> Value? { kept.withLock { $0.values[key]?.value } }

    /// What is larger than all the room is not kept.
    ///
    /// - Parameters:
    ///   - size: of the value in bytes, about.
    ///   - isOlder: whether a value that is kept under the key gives way.
    public func keep(
        _ value: Value, for key: Key, bytes size: Int, insteadOf isOlder: (Value) -> Bool = { _ in true }
    ) {
        kept.withLock { kept in
            if let known = kept.values[key] {
                guard isOlder(known.value) else { return }
                kept.values[key] = nil
                kept.bytes -= known.bytes
            }
            guard size <= bytes else { return }
            if kept.values.count >= room || kept.bytes + size > bytes { kept = Kept() }
            kept.values[key] = (value, size)
            kept.bytes += size
        }
    }

    /// Values that are kept now, and their bytes.
    public var size: (count: Int, bytes: Int) { kept.withLock { ($0.values.count, $0.bytes) } }
}
