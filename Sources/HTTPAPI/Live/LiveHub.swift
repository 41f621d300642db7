import Domain
import Logging
import Store

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// All event streams of one instance: what changes is read and rendered once and left with everybody who looks on.
///
/// The database tells which form changed; since a notification can be lost, everything that is watched is also compared
/// once a second, and whoever looks on is judged again. While nobody does, nothing runs and no connection listens.
public actor LiveHub {
    /// How often things happen.
    struct Pace: Sendable {
        /// Between two states of a form: a little over a quarter of a second, so that no second holds five.
        var results: Duration = .milliseconds(260)
        /// Between two lists of an account's meetings.
        var meetings: Duration = .seconds(1)
        /// Between two readings of a list of meetings of which nobody told anything.
        var lists: Duration = .seconds(3)
        /// Lists that are read at the same time.
        var listsAtOnce = 4
        /// Between two looks at all that is watched.
        var tick: Duration = .seconds(1)
        /// Between two lines where nothing happens, so that proxies keep the connection.
        var comment: Duration = .seconds(15)
        /// Ticks without a viewer until the work ends.
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

    /// How many streams are open.
    nonisolated var viewers: Int { seats.taken }

    /// Works whenever somebody looks on, until it is cancelled.
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
                await self.watchTheClock(logger)
                group.cancelAll()
            }
            wakes = [:]
        }
    }

    /// Ends all streams at once, and every one that comes after.
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

    // MARK: Who looks on

    /// - Parameters:
    ///   - meetingID: of results.
    ///   - seen: what the viewer's own request has read; they are shown nothing older.
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

    /// Tells the viewer why, and lets nothing more reach them.
    func dismiss(_ viewer: LiveViewer, _ topic: LiveTopic, _ problem: Problem) {
        viewer.end(EventFrame.end(problem, request: viewer.id))
        leave(viewer, topic)
    }

    func dismissAll(_ watch: LiveWatch, _ problem: Problem) {
        for viewer in watch.viewers.values { dismiss(viewer, watch.topic, problem) }
    }

    // MARK: What changes

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

    /// Reads what is due, as soon as it is.
    private func work(_ kind: LiveTopic.Kind, _ wakes: AsyncStream<Void>, _ logger: Logger) async {
        for await _ in wakes {
            while !Task.isCancelled {
                let dirty = watches.values.filter { $0.isDirty && $0.topic.kind == kind }
                guard let next = dirty.map(\.notBefore).min() else { break }
                let now = ContinuousClock.now
                if next > now {
                    // Something else may become due meanwhile.
                    try? await Task.sleep(for: min(next - now, .milliseconds(25)))
                    continue
                }
                await read(dirty.filter { $0.notBefore <= now }, kind, logger)
            }
        }
    }

    /// On a clock of its own: a database that hangs keeps no line back.
    private func comment() async {
        while (try? await Task.sleep(for: pace.comment / 15)) != nil {
            for watch in watches.values {
                for viewer in watch.viewers.values { viewer.comment(after: pace.comment) }
            }
        }
    }

    private func watchTheClock(_ logger: Logger) async {
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
