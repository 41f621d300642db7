/// The part of the engine's buffer that the shortcut's head parser uses. The whole module would take longer to build
/// than everything else.
public struct ByteBuffer: Sendable {
    private let bytes: [UInt8]

    public init(bytes: [UInt8]) { self.bytes = bytes }

    public var readerIndex: Int { 0 }

    public func withUnsafeReadableBytes<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value {
        try bytes.withUnsafeBytes(body)
    }

    public func getSlice(at index: Int, length: Int) -> ByteBuffer? {
        guard index >= 0, length >= 0, index + length <= bytes.count else { return nil }
        return ByteBuffer(bytes: Array(bytes[index..<index + length]))
    }

    public func getString(at index: Int, length: Int) -> String? {
        guard index >= 0, length >= 0, index + length <= bytes.count else { return nil }
        return String(decoding: bytes[index..<index + length], as: UTF8.self)
    }
}
