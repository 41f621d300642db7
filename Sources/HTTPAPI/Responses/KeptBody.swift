import HTTPServer
import NIOCore
import Synchronization

/// A body that is sent many times. It is compressed once, for the first client that accepts gzip.
final class KeptBody: Sendable {
    let bytes: ByteBuffer
    /// Nil before the first attempt to compress the bytes; `.some(nil)` if that attempt returned nil.
    private let compressed = Mutex<ByteBuffer??>(nil)

    init(_ bytes: ByteBuffer) { self.bytes = bytes }

    /// The size in memory, with room for the compressed bytes.
    var byteCount: Int { bytes.storageCapacity + bytes.readableBytes / 2 }

    /// Nil for a body that is too short, or if zlib ran out of memory.
    func gzip() -> ByteBuffer? {
        // Readers who ask in the meantime wait: compressing the body themselves would take as long.
        compressed.withLock { known in
            if let known { return known }
            let made = Gzip.compress(bytes)
            known = .some(made)
            return made
        }
    }
}
