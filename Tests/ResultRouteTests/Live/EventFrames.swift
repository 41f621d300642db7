import Domain
import Foundation
import NIOCore
import Testing

@testable import HTTPAPI

@Suite struct EventFrames {
    @Test(arguments: [0, 1, 1042, Int.max])
    func resultsAreReplacedAndTheirRevisionStays(_ revision: Int) {
        let data = ByteBuffer(string: #"{"revision":7,"title":"event: results\nid: 3"}"#)
        let frame = EventFrame.event("results", id: revision, data: data)
        let replaced = EventFrame.replacingResults(in: frame, by: "1000")
        #expect(String(buffer: replaced) == "event: results\nid: \(revision)\ndata: 1000\n\n")
    }

    @Test func otherFramesStay() {
        let end = EventFrame.end(Problem(.shareEnded), request: UUID())
        let meetings = EventFrame.event("meetings", data: ByteBuffer(string: "{}"))
        let unusual = ["", "event: results\n", "event: results\nid: ", "event: results\nid: x\ndata: {}\n\n"].map {
            ByteBuffer(string: $0)
        }
        for frame in [EventFrame.opening, EventFrame.keepAlive, end, meetings] + unusual {
            #expect(EventFrame.replacingResults(in: frame, by: "1000") == frame, "\(String(buffer: frame))")
        }
    }
}
