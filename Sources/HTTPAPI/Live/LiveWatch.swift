import NIOCore
import Store

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One topic that somebody looks at: its newest state, and who gets the next.
final class LiveWatch {
    let topic: LiveTopic
    private(set) var viewers: [UUID: LiveViewer] = [:]
    /// Those who were shown nothing yet.
    private var newcomers: [UUID: LiveViewer] = [:]
    private var last: ByteBuffer?
    /// What the newest state was made of; nil where that is not known.
    private(set) var tag: ETag?
    /// The meeting of results.
    let meetingID: UUID?
    /// The forms that a list of meetings tells of.
    var formIDs: Set<UUID> = []
    /// Something may be new.
    var isDirty = true
    /// When it may be read again.
    var notBefore = ContinuousClock.now
    private(set) var lastRead: ContinuousClock.Instant?

    init(_ topic: LiveTopic, meetingID: UUID?) {
        self.topic = topic
        self.meetingID = meetingID
    }

    /// - Parameter seen: what the viewer's request has read: they are shown nothing older.
    func join(_ viewer: LiveViewer, seen: ETag?, spacing: Duration) {
        viewers[viewer.id] = viewer
        if let last, let seen, seen == tag {
            viewer.offer(last)
            return
        }
        newcomers[viewer.id] = viewer
        isDirty = true
        if let lastRead { notBefore = min(notBefore, lastRead + spacing) }
    }

    func leave(_ id: UUID) {
        viewers[id] = nil
        newcomers[id] = nil
    }

    func begin(spacing: Duration) {
        isDirty = false
        let now = ContinuousClock.now
        lastRead = now
        notBefore = now + spacing
    }

    func fail(pause: Duration) {
        isDirty = true
        notBefore = .now + pause
    }

    /// Shows it to everybody, to whom it is new.
    func publish(_ frame: ByteBuffer, tag: ETag? = nil) {
        self.tag = tag
        for viewer in (last == frame ? newcomers : viewers).values { viewer.offer(frame) }
        last = frame
        newcomers = [:]
    }

    /// What was published last is the newest still.
    func repeatLast() {
        guard let last else { return }
        for viewer in newcomers.values { viewer.offer(last) }
        newcomers = [:]
    }
}
