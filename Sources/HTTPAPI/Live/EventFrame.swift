import Domain
import NIOCore
import StrictJSON

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The bytes of an event stream (WHATWG HTML, section 9.2).
enum EventFrame {
    /// Asks the browser to wait this long before it reconnects, in milliseconds.
    static let opening = ByteBuffer(string: "retry: 3000\n\n")
    static let comment = ByteBuffer(string: ":\n\n")

    /// - Parameter data: One line, like all JSON of this service.
    static func event(_ name: String, id: Int? = nil, data: ByteBuffer) -> ByteBuffer {
        var head = "event: \(name)\n"
        if let id { head += "id: \(id)\n" }
        head += "data: "
        var frame = ByteBuffer()
        frame.reserveCapacity(head.utf8.count + data.readableBytes + 2)
        frame.writeString(head)
        frame.writeImmutableBuffer(data)
        frame.writeString("\n\n")
        return frame
    }

    /// Why a stream ends whose reader may not continue.
    static func end(_ problem: Problem, request id: UUID) -> ByteBuffer {
        event("end", data: ByteBuffer(bytes: problem.json(request: id).bytes))
    }
}
