import NIOCore
import Store

/// Rendered results by form, or by form and what is asked of it, each with the tag it was rendered for. It decides
/// nothing: a tag that is asked for is read from the database first.
final class ResultCache<Key: Hashable & Sendable>: Sendable {
    private let entries: BoundedMemory<Key, (tag: ETag, bytes: ByteBuffer)>

    /// - Parameters:
    ///   - room: how many are kept.
    ///   - bytes: of how many bytes together; one form of 100 questions may have half a megabyte.
    init(room: Int = 1_000, bytes: Int = 32 << 20) {
        entries = BoundedMemory(room: room, bytes: bytes)
    }

    func find(_ key: Key, _ tag: ETag) -> ByteBuffer? {
        guard let entry = entries.find(key), entry.tag == tag else { return nil }
        return entry.bytes
    }

    func keep(_ key: Key, _ tag: ETag, _ bytes: ByteBuffer) {
        entries.keep((tag, bytes), for: key, bytes: bytes.storageCapacity)
    }
}
