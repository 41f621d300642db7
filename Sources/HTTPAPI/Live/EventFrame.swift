import Domain
import Foundation
import NIOCore
import StrictJSON

/// The bytes of an event stream (WHATWG HTML, section 9.2).
enum EventFrame {
    /// The start of every stream. It asks the browser to wait three seconds before it reconnects.
    static let opening = ByteBuffer(string: "retry: 3000\n\n")
    /// A comment, which clients ignore. It keeps proxies from closing an idle connection.
    static let keepAlive = ByteBuffer(string: ":\n\n")

    /// - Parameter data: Must not contain line breaks. The JSON of this service never does.
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

    /// What a host's remote shows on the stages of a meeting.
    static func stage(_ view: StageView) -> ByteBuffer { event("stage", data: ByteBuffer(bytes: view.json.bytes)) }

    /// The last event of a stream whose viewer may not continue, with the reason.
    static func end(_ problem: Problem, request id: UUID) -> ByteBuffer {
        event("end", data: ByteBuffer(bytes: problem.json(request: id).bytes))
    }
}
