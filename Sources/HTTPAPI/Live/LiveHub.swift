import Domain
import Foundation
import Logging
import NIOCore
import Store

/// All event streams of one instance. Each change is read and rendered once for all its viewers.
///
/// The database sends a notification for each form that has changed. Because a notification can be lost, watched
/// results are also compared with the database once a second, and watched lists are read again every three seconds. The
/// viewers' authorization is checked once a second. Without viewers, nothing runs and no connection listens.
public actor LiveHub {
    /// The intervals and limits of the hub's work.
    package struct Pace: Sendable {
        /// The shortest time between two states of a form's results. A little over a quarter of a second allows at most
        /// four states a second.
        var results: Duration = .milliseconds(260)
        /// The shortest time between two states of a list of meetings.
        var meetings: Duration = .seconds(1)
        /// The time after which a list of meetings is read again even without a notification.
        var listRefresh: Duration = .seconds(3)
        /// The largest number of forms whose results are read at the same time. It is reduced to a quarter of the
        /// database connections.
        var formsAtOnce = 4
        /// The largest number of lists that are read at the same time.
        var listsAtOnce = 4
        /// The time between two comparisons of the watched results with the database.
        var tick: Duration = .seconds(1)
        /// The time after which a comment is sent on an idle stream, so that proxies keep the connection open.
        var keepAlive: Duration = .seconds(15)
        /// The number of ticks without a viewer after which the work stops.
        var idleTicks = 5
    }

    let store: Store
    let reader: ResultReader
    let pace: Pace
    nonisolated let limits: ViewerLimits
    var watches: [LiveTopic: LiveWatch] = [:]
    /// The last announcements of topics without viewers, such as while a stage connects again.
    private var announcements: [LiveTopic: ByteBuffer] = [:]
    private static let maxAnnouncements = 1000
    /// The topics that are being read. A topic is never read twice at the same time, so that no state overtakes a newer
    /// one.
    private var reading: Set<LiveTopic> = []
    private var isStopped = false
    /// Receives an element when a viewer joins.
    private let joins: AsyncStream<Void>
    private let joinsContinuation: AsyncStream<Void>.Continuation
    /// Wakes the task that reads the dirty topics of a kind.
    private var wakes: [LiveTopic.Kind: AsyncStream<Void>.Continuation] = [:]

    /// - Parameters:
    ///   - viewers: The largest number of open streams.
    ///   - perAddress: The largest number of open streams of one client address; nil for any number.
    init(store: Store, reader: ResultReader, viewers: Int, perAddress: Int? = nil, pace: Pace = Pace()) {
        self.store = store
        self.reader = reader
        self.pace = pace
        limits = ViewerLimits(viewers, perAddress: perAddress)
        (joins, joinsContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// The number of open streams.
    nonisolated var viewers: Int { limits.taken }

    /// Updates the streams while there are viewers. Returns after `stop` or when the task is cancelled.
    func run(logger: Logger) async {
        for await _ in joins where !isStopped && !watches.isEmpty {
            let streams = LiveTopic.Kind.allCases.map { kind in
                let (stream, wake) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
                wakes[kind] = wake
                wake.yield()
                return (kind, stream)
            }
            await withTaskGroup(of: Void.self) { group in
                for (kind, stream) in streams {
                    group.addTask { await self.readDirtyTopics(kind, stream, logger) }
                }
                group.addTask { await self.listen() }
                group.addTask { await self.sendKeepAlives() }
                await self.tickWhileWatched(logger)
                group.cancelAll()
            }
            wakes = [:]
        }
    }

    /// Ends all open streams, and ends later ones as soon as they begin.
    nonisolated func stop() {
        Task { await end() }
    }

    private func end() {
        isStopped = true
        joinsContinuation.finish()
        for watch in watches.values {
            for viewer in watch.viewers.values { viewer.end() }
        }
        watches = [:]
    }

    // MARK: Viewers

    /// - Parameters:
    ///  - meetingID: The meeting of a results topic.
    ///  - seen: The tag of the state that the viewer's request has read. No older state is sent.
    func join(_ viewer: LiveViewer, _ topic: LiveTopic, meetingID: UUID?, seen: ETag?) {
        guard !isStopped else { return viewer.end() }
        let watch =
            watches[topic]
            ?? LiveWatch(topic, meetingID: meetingID, lastAnnouncement: announcements.removeValue(forKey: topic))
        watches[topic] = watch
        watch.join(viewer, seen: seen, spacing: pace.results)
        joinsContinuation.yield()
        wakes[topic.kind]?.yield()
    }

    func leave(_ viewer: LiveViewer, _ topic: LiveTopic) {
        guard let watch = watches[topic] else { return }
        watch.leave(viewer.id)
        guard watch.viewers.isEmpty else { return }
        watches[topic] = nil
        guard let announcement = watch.lastAnnouncement else { return }
        if announcements.count >= Self.maxAnnouncements { announcements = [:] }
        announcements[topic] = announcement
    }

    /// Ends a viewer's stream with the problem as its last event.
    func dismiss(_ viewer: LiveViewer, _ topic: LiveTopic, _ problem: Problem) {
        viewer.end(EventFrame.end(problem, request: viewer.id))
        leave(viewer, topic)
    }

    func dismissAll(_ watch: LiveWatch, _ problem: Problem) {
        for viewer in watch.viewers.values { dismiss(viewer, watch.topic, problem) }
    }

    // MARK: Changes

    private func listen() async {
        for await change in store.liveChanges {
            switch change {
            case .results(let change): markDirty(for: change)
            case .stage(let formID, let view):
                watches[.results(formID: formID)]?.announce(
                    EventFrame.stage(view), later: EventFrame.stage(view, isNew: false))
            }
        }
    }

    private func markDirty(for change: FormChange) {
        switch change {
        case .refresh:
            for watch in watches.values { markDirty(watch) }
        case .form(let id):
            if let watch = watches[.results(formID: id)] { markDirty(watch) }
            for watch in watches.values where watch.formIDs.contains(id) { markDirty(watch) }
        }
    }

    func markDirty(_ watch: LiveWatch) {
        watch.isDirty = true
        wakes[watch.topic.kind]?.yield()
    }

    /// Reads the dirty topics of one kind, each as soon as it is due, a few at a time.
    private func readDirtyTopics(_ kind: LiveTopic.Kind, _ wakes: AsyncStream<Void>, _ logger: Logger) async {
        await withDiscardingTaskGroup { group in
            for await _ in wakes {
                while !Task.isCancelled {
                    let free = maximumReads(of: kind) - reading.count(where: { $0.kind == kind })
                    let dirty = watches.values.filter {
                        $0.isDirty && $0.topic.kind == kind && !reading.contains($0.topic)
                    }
                    // The end of a read is another wake.
                    guard free > 0, let next = dirty.map(\.notBefore).min() else { break }
                    let now = ContinuousClock.now
                    if next > now {
                        // Another topic may become due in the meantime.
                        try? await Task.sleep(for: min(next - now, .milliseconds(25)))
                        continue
                    }
                    let due = dirty.filter { $0.notBefore <= now }.sorted { $0.notBefore < $1.notBefore }
                    for topic in due.prefix(free).map(\.topic) {
                        reading.insert(topic)
                        group.addTask {
                            await self.read(topic, logger)
                            await self.endRead(topic)
                        }
                    }
                }
            }
        }
    }

    private func maximumReads(of kind: LiveTopic.Kind) -> Int {
        switch kind {
        case .results: max(1, min(pace.formsAtOnce, store.poolSize / 4))
        case .meetings: pace.listsAtOnce
        }
    }

    private func endRead(_ topic: LiveTopic) {
        reading.remove(topic)
        wakes[topic.kind]?.yield()
    }

    /// Runs in a task of its own, so that comments are sent even while the database does not respond. Checks 15 times
    /// per interval, so that a comment is at most a fifteenth of the interval late.
    private func sendKeepAlives() async {
        while (try? await Task.sleep(for: pace.keepAlive / 15)) != nil {
            for watch in watches.values {
                for viewer in watch.viewers.values { viewer.keepAlive(after: pace.keepAlive) }
            }
        }
    }

    private func tickWhileWatched(_ logger: Logger) async {
        var next = ContinuousClock.now + pace.tick
        var idle = 0
        while idle < pace.idleTicks, !isStopped {
            guard (try? await Task.sleep(until: next, clock: .continuous)) != nil else { return }
            next = max(next + pace.tick, .now)
            idle = watches.isEmpty ? idle + 1 : 0
            await tick(logger)
        }
    }
}
