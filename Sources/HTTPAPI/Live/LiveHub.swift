import Domain
import Logging
import Store

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// All event streams of one instance: a change is read and rendered once, and shared by all its viewers.
///
/// The database notifies which form changed. Because a notification can be lost, everything watched is also compared
/// once a second, and the viewers' authorisation is checked. Without viewers, nothing runs and no connection listens.
public actor LiveHub {
    /// The intervals of the hub's work.
    struct Pace: Sendable {
        /// Between two states of a form: a little over a quarter of a second, for at most four a second.
        var results: Duration = .milliseconds(260)
        /// Between two lists of an account's meetings.
        var meetings: Duration = .seconds(1)
        /// Between two readings of a list of meetings without a notification.
        var lists: Duration = .seconds(3)
        /// The number of lists read at the same time.
        var listsAtOnce = 4
        /// Between two comparisons of everything watched.
        var tick: Duration = .seconds(1)
        /// Between two comments on an idle stream, which make proxies keep the connection.
        var comment: Duration = .seconds(15)
        /// The number of ticks without a viewer after which the work stops.
        var idleTicks = 5
    }

    let store: Store
    let reader: ResultReader
    let pace: Pace
    nonisolated let seats: ViewerLimits
    var watches: [LiveTopic: LiveWatch] = [:]
    private var isStopped = false
    private let beginnings: AsyncStream<Void>
    private let beginning: AsyncStream<Void>.Continuation
    private var wakes: [LiveTopic.Kind: AsyncStream<Void>.Continuation] = [:]

    init(store: Store, reader: ResultReader, viewers: Int, pace: Pace = Pace()) {
        self.store = store
        self.reader = reader
        self.pace = pace
        seats = ViewerLimits(viewers)
        (beginnings, beginning) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// The number of open streams.
    nonisolated var viewers: Int { seats.taken }

    /// Works while there are viewers, until it is cancelled.
    func run(logger: Logger) async {
        for await _ in beginnings where !isStopped && !watches.isEmpty {
            let streams = LiveTopic.Kind.allCases.map { kind in
                let (stream, wake) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
                wakes[kind] = wake
                wake.yield()
                return (kind, stream)
            }
            await withTaskGroup(of: Void.self) { group in
                for (kind, stream) in streams {
                    group.addTask { await self.work(kind, stream, logger) }
                }
                group.addTask { await self.listen() }
                group.addTask { await self.comment() }
                await self.tickWhileWatched(logger)
                group.cancelAll()
            }
            wakes = [:]
        }
    }

    /// Ends all streams at once, and all later ones.
    nonisolated func stop() {
        Task { await end() }
    }

    private func end() {
        isStopped = true
        beginning.finish()
        for watch in watches.values {
            for viewer in watch.viewers.values { viewer.end() }
        }
        watches = [:]
    }

    // MARK: Viewers

    /// - Parameters:
    ///  - meetingID: The meeting of a results topic.
    ///  - seen: The state that the viewer's request has read; nothing older is sent.
    func join(_ viewer: LiveViewer, _ topic: LiveTopic, meetingID: UUID?, seen: ETag?) {
        guard !isStopped else { return viewer.end() }
        let watch = watches[topic] ?? LiveWatch(topic, meetingID: meetingID)
        watches[topic] = watch
        watch.join(viewer, seen: seen, spacing: pace.results)
        beginning.yield()
        wakes[topic.kind]?.yield()
    }

    func leave(_ viewer: LiveViewer, _ topic: LiveTopic) {
        guard let watch = watches[topic] else { return }
        watch.leave(viewer.id)
        if watch.viewers.isEmpty { watches[topic] = nil }
    }

    /// Sends the reason to the viewer, and nothing after it.
    func dismiss(_ viewer: LiveViewer, _ topic: LiveTopic, _ problem: Problem) {
        viewer.end(EventFrame.end(problem, request: viewer.id))
        leave(viewer, topic)
    }

    func dismissAll(_ watch: LiveWatch, _ problem: Problem) {
        for viewer in watch.viewers.values { dismiss(viewer, watch.topic, problem) }
    }

    // MARK: Changes

    private func listen() async {
        for await change in store.formChanges { note(change) }
    }

    private func note(_ change: FormChanges.Change) {
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

    /// Reads each due topic as soon as it is due.
    private func work(_ kind: LiveTopic.Kind, _ wakes: AsyncStream<Void>, _ logger: Logger) async {
        for await _ in wakes {
            while !Task.isCancelled {
                let dirty = watches.values.filter { $0.isDirty && $0.topic.kind == kind }
                guard let next = dirty.map(\.notBefore).min() else { break }
                let now = ContinuousClock.now
                if next > now {
                    // Another topic may become due in the meantime.
                    try? await Task.sleep(for: min(next - now, .milliseconds(25)))
                    continue
                }
                await read(dirty.filter { $0.notBefore <= now }, kind, logger)
            }
        }
    }

    /// On a clock of its own, so that comments are sent even while the database hangs.
    private func comment() async {
        while (try? await Task.sleep(for: pace.comment / 15)) != nil {
            for watch in watches.values {
                for viewer in watch.viewers.values { viewer.comment(after: pace.comment) }
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
