import HTTPServer
import NIOCore
import Synchronization

/// A body that is sent many times. It is compressed once, for the first client that accepts gzip.
final class KeptBody: Sendable {
    let bytes: ByteBuffer
    /// Nil before the first attempt to compress the bytes; `.some(nil)` if that attempt returned nil.
    private let compressed: Mutex<ByteBuffer??>
    /// The size in memory, with room for the compressed bytes.
    let byteCount: Int

    /// - Parameter isCompressed: Whether to compress the body now. This is for long bodies, which are made on threads that
    ///   serve no requests.
    init(_ bytes: ByteBuffer, isCompressed: Bool = false) {
        self.bytes = bytes
        let gzip = isCompressed ? Gzip.compress(bytes) : nil
        compressed = Mutex(isCompressed ? .some(gzip) : nil)
        byteCount =
            isCompressed
            ? bytes.readableBytes + (gzip?.readableBytes ?? 0) : bytes.storageCapacity + bytes.readableBytes / 2
    }

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
