import NIOCore
import Synchronization

/// Rendered results by form, or by form and what is asked of it, each with the tag it was rendered for. It decides
/// nothing: a tag that is asked for is read from the database first.
final class ResultCache<Key: Hashable & Sendable>: Sendable {
    /// When so many are kept, all are dropped and rendered again as they are asked for.
    private let room: Int
    private let entries = Mutex<[Key: (tag: ETag, bytes: ByteBuffer)]>([:])

    init(room: Int = 1_000) { self.room = room }

    func find(_ key: Key, _ tag: ETag) -> ByteBuffer? {
        entries.withLock { entries in
            guard let entry = entries[key], entry.tag == tag else { return nil }
            return entry.bytes
        }
    }

    func keep(_ key: Key, _ tag: ETag, _ bytes: ByteBuffer) {
        entries.withLock { entries in
            if entries.count >= room, entries[key] == nil { entries = [:] }
            entries[key] = (tag, bytes)
        }
    }
}
