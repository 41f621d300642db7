import NIOCore
import Store

/// Rendered results by form, or by form and request, each with the tag it was rendered for. It decides nothing: the tag
/// is read from the database first.
final class ResultCache<Key: Hashable & Sendable>: Sendable {
    private let entries: LRUCache<Key, (tag: ETag, bytes: ByteBuffer)>

    /// - Parameters:
    ///   - capacity: The maximum number of entries.
    ///   - maxBytes: The maximum size of all entries together; one form of 100 questions may have half a megabyte.
    init(capacity: Int = 1_000, maxBytes: Int = 32 << 20) {
        entries = LRUCache(capacity: capacity, maxBytes: maxBytes)
    }

    func find(_ key: Key, _ tag: ETag) -> ByteBuffer? {
        guard let entry = entries.find(key), entry.tag == tag else { return nil }
        return entry.bytes
    }

    func insert(_ key: Key, _ tag: ETag, _ bytes: ByteBuffer) {
        entries.insert((tag, bytes), for: key, bytes: bytes.storageCapacity)
    }
}
