import Domain
import Foundation
import HummingbirdCore
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
    ///
    /// - Parameter isNew: Whether it is shown now, or was shown before the viewer joined.
    static func stage(_ view: StageView, isNew: Bool = true) -> ByteBuffer {
        event(isNew ? "stage" : "lastStage", data: ByteBuffer(bytes: view.json.bytes))
    }

    /// The last event of a stream whose viewer may not continue, with the reason.
    static func end(_ problem: Problem, request id: UUID) -> ByteBuffer {
        event("end", data: ByteBuffer(bytes: problem.json(request: id).bytes))
    }

    /// The event `results` with other data and the same revision. All other frames are returned unchanged.
    static func replacingResults(in frame: ByteBuffer, by data: String) -> ByteBuffer {
        let head = "event: results\nid: "
        var rest = frame
        guard rest.readString(length: head.utf8.count) == head,
            let length = rest.readableBytesView.prefix(20).split(separator: UInt8(ascii: "\n")).first?.count,
            let revision = rest.readString(length: length).flatMap({ Int($0) })
        else { return frame }
        return event("results", id: revision, data: ByteBuffer(string: data))
    }
}

extension ResponseBody {
    /// The body of an event stream of results with other data in each event, and the same revisions. For clients that
    /// need to know only that the results have changed.
    ///
    /// - Parameter data: Returns the data of the next event, without line breaks.
    public func replacingResults(by data: @escaping @Sendable () -> String) -> ResponseBody {
        // The hub writes each frame at once.
        map { EventFrame.replacingResults(in: $0, by: data()) }
    }
}
