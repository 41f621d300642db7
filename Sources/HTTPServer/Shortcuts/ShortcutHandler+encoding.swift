import HTTPTypes
import NIOCore

extension ShortcutHandler {
    /// The head of a response as the engine's encoder writes it.
    static func encoded(
        _ head: HTTPResponse, _ allocator: ByteBufferAllocator, capacity: Int
    ) -> ByteBuffer {
        var response = allocator.buffer(capacity: capacity)
        response.writeString("HTTP/1.1 \(head.status.code) \(head.status.reasonPhrase)\r\n")
        for field in head.headerFields {
            response.writeString(field.name.rawName)
            response.writeStaticString(": ")
            response.writeString(field.value)
            response.writeStaticString("\r\n")
        }
        response.writeStaticString("\r\n")
        return response
    }
}
