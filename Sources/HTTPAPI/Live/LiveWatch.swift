import NIOCore
import Store

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One watched topic: its newest state and its viewers.
final class LiveWatch {
    let topic: LiveTopic
    private(set) var viewers: [UUID: LiveViewer] = [:]
    /// Viewers who joined after the current reading began, which may be older than what their requests have read.
    private var newcomers: Set<UUID> = []
    /// Viewers who have received nothing yet and may receive what is being read.
    private var waiting: Set<UUID> = []
    private var last: ByteBuffer?
    /// The tag of the newest state; nil if unknown.
    private(set) var tag: ETag?
    /// The meeting of a results topic.
    let meetingID: UUID?
    /// The forms in a list of meetings.
    var formIDs: Set<UUID> = []
    /// Whether there may be changes.
    var isDirty = true
    /// The earliest time of the next reading.
    var notBefore = ContinuousClock.now
    private(set) var lastRead: ContinuousClock.Instant?

    var hasParticipants: Bool {
        viewers.values.contains { if case .participant = $0.authorization { true } else { false } }
    }

    init(_ topic: LiveTopic, meetingID: UUID?) {
        self.topic = topic
        self.meetingID = meetingID
    }

    /// - Parameter seen: The state that the viewer's request has read; nothing older is sent.
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

    /// A reading that begins now is new enough for all current viewers.
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

    /// Sends a state to all viewers for whom it is new and not older than the state they have seen.
    func publish(_ frame: ByteBuffer, tag: ETag? = nil) {
        self.tag = tag
        let isChanged = last != frame
        for (id, viewer) in viewers where !newcomers.contains(id) && (isChanged || waiting.contains(id)) {
            viewer.offer(frame)
        }
        last = frame
        waiting = []
    }

    /// The state published last is still the newest.
    func repeatLast() {
        guard let last else { return }
        for id in waiting { viewers[id]?.offer(last) }
        waiting = []
    }
}
