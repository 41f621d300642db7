import Foundation
import NIOCore
import Store

/// One watched topic: its newest state and its viewers.
final class LiveWatch {
    let topic: LiveTopic
    private(set) var viewers: [UUID: LiveViewer] = [:]
    /// Viewers who joined after the current read began. The state that it reads may be older than the state that their
    /// requests have read.
    private var newcomers: Set<UUID> = []
    /// Viewers who have received nothing yet and to whom the state of the current read may be sent.
    private var waiting: Set<UUID> = []
    /// The state that was published last.
    private var lastFrame: ByteBuffer?
    /// What viewers who join later get of the last announcement.
    private(set) var lastAnnouncement: ByteBuffer?
    /// The tag of the newest state; nil if unknown.
    private(set) var tag: ETag?
    /// The meeting of a results topic.
    let meetingID: UUID?
    /// The forms in a list of meetings.
    var formIDs: Set<UUID> = []
    /// Whether the topic may have changed since the last read began.
    var isDirty = true
    /// The earliest time of the next read.
    var notBefore = ContinuousClock.now
    private(set) var lastRead: ContinuousClock.Instant?

    var hasParticipants: Bool {
        viewers.values.contains { if case .participant = $0.authorization { true } else { false } }
    }

    /// - Parameter lastAnnouncement: What viewers get of an announcement of before.
    init(_ topic: LiveTopic, meetingID: UUID?, lastAnnouncement: ByteBuffer? = nil) {
        self.topic = topic
        self.meetingID = meetingID
        self.lastAnnouncement = lastAnnouncement
    }

    /// - Parameter seen: The tag of the state that the viewer's request has read. No older state is sent.
    func join(_ viewer: LiveViewer, seen: ETag?, spacing: Duration) {
        viewers[viewer.id] = viewer
        if let lastAnnouncement, viewer.hasAccount { viewer.announce(lastAnnouncement) }
        if let lastFrame, let seen, seen == tag {
            viewer.offer(lastFrame)
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

    /// Records the start of a read, whose state is new enough for all current viewers.
    func begin(spacing: Duration) {
        isDirty = false
        waiting.formUnion(newcomers)
        newcomers = []
        let now = ContinuousClock.now
        lastRead = now
        notBefore = now + spacing
    }

    /// Schedules another read after one that has failed.
    func fail(pause: Duration) {
        isDirty = true
        notBefore = .now + pause
    }

    /// Sends a state to all viewers for whom it is new and not older than the state they have seen.
    func publish(_ frame: ByteBuffer, tag: ETag? = nil) {
        self.tag = tag
        let isChanged = lastFrame != frame
        for (id, viewer) in viewers where !newcomers.contains(id) && (isChanged || waiting.contains(id)) {
            viewer.offer(frame)
        }
        lastFrame = frame
        waiting = []
    }

    /// Sends an event that is no state to the viewers with an account.
    ///
    /// - Parameter later: What viewers who join later get instead.
    func announce(_ frame: ByteBuffer, later: ByteBuffer? = nil) {
        for viewer in viewers.values where viewer.hasAccount { viewer.announce(frame) }
        lastAnnouncement = later
    }

    /// Sends the last state, which has not changed, to the viewers who are still waiting for one.
    func repeatLast() {
        guard let lastFrame else { return }
        for id in waiting { viewers[id]?.offer(lastFrame) }
        waiting = []
    }
}
