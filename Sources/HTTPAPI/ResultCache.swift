import Foundation
import NIOCore
import Synchronization

/// Rendered results by form, each with the tag it was rendered for. It decides nothing: a tag that is asked for is
/// read from the database first.
final class ResultCache: Sendable {
    /// Forms; when full, all are dropped and rendered again as they are asked for.
    private static let room = 1_000

    private let entries = Mutex<[UUID: (tag: ETag, bytes: ByteBuffer)]>([:])

    func find(_ formID: UUID, _ tag: ETag) -> ByteBuffer? {
        entries.withLock { entries in
            guard let entry = entries[formID], entry.tag == tag else { return nil }
            return entry.bytes
        }
    }

    func keep(_ formID: UUID, _ tag: ETag, _ bytes: ByteBuffer) {
        entries.withLock { entries in
            if entries.count >= Self.room, entries[formID] == nil { entries = [:] }
            entries[formID] = (tag, bytes)
        }
    }
}
