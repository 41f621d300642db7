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
    /// Those who came since the newest reading began: it may be older than what their requests have read.
    private var newcomers: Set<UUID> = []
    /// Those who were shown nothing yet, and may be shown what is read now.
    private var waiting: Set<UUID> = []
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

    var hasParticipants: Bool {
        viewers.values.contains { if case .participant = $0.ground { true } else { false } }
    }

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
        newcomers.insert(viewer.id)
        isDirty = true
        if let lastRead { notBefore = min(notBefore, lastRead + spacing) }
    }

    func leave(_ id: UUID) {
        viewers[id] = nil
        newcomers.remove(id)
        waiting.remove(id)
    }

    /// What is read from now on is good for all who are here.
    func begin(spacing: Duration) {
        isDirty = false
        waiting.formUnion(newcomers)
        newcomers = []
        let now = ContinuousClock.now
        lastRead = now
        notBefore = now + spacing
    }

    func fail(pause: Duration) {
        isDirty = true
        notBefore = .now + pause
    }

    /// Shows it to everybody to whom it is new, and not older than what they have seen.
    func publish(_ frame: ByteBuffer, tag: ETag? = nil) {
        self.tag = tag
        let isNews = last != frame
        for (id, viewer) in viewers where !newcomers.contains(id) && (isNews || waiting.contains(id)) {
            viewer.offer(frame)
        }
        last = frame
        waiting = []
    }

    /// What was published last is the newest still.
    func repeatLast() {
        guard let last else { return }
        for id in waiting { viewers[id]?.offer(last) }
        waiting = []
    }
}
