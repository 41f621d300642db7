import Contract
import Domain
import Logging
import NIOCore
import Store

extension LiveHub {
    /// Reads the topics that are due, all of the same kind, and publishes what has changed.
    func read(_ due: [LiveWatch], _ kind: LiveTopic.Kind, _ logger: Logger) async {
        switch kind {
        case .results:
            for watch in due { watch.begin(spacing: pace.results) }
            do {
                let meetings = try await store.viewerAccess.meetings(due.compactMap(\.meetingID))
                for watch in due {
                    await attempt(watch, logger) {
                        try await readResults(watch, watch.meetingID.flatMap { meetings[$0] })
                    }
                }
            } catch {
                for watch in due { watch.fail(pause: pace.tick) }
                logger.debug("Live results could not be read", metadata: ["error": "\(error)"])
            }
        case .meetings:
            var topics = due.map(\.topic)[...]
            await withTaskGroup(of: Void.self) { group in
                for topic in topics.prefix(pace.listsAtOnce) {
                    group.addTask { await self.readMeetings(topic, logger) }
                }
                topics = topics.dropFirst(pace.listsAtOnce)
                while await group.next() != nil {
                    guard let topic = topics.popFirst() else { continue }
                    group.addTask { await self.readMeetings(topic, logger) }
                }
            }
        }
    }

    /// Runs one read. If it fails, it is retried after a tick, and other reads are not affected.
    private func attempt(_ watch: LiveWatch, _ logger: Logger, _ read: () async throws -> Void) async {
        do {
            try await read()
        } catch {
            watch.fail(pause: pace.tick)
            logger.debug("Reading the updates of a live stream failed", metadata: ["error": "\(error)"])
        }
    }

    /// Renders the results once for all authorized viewers, if the results' tag has changed.
    private func readResults(_ watch: LiveWatch, _ current: ViewerAccess.WatchedMeeting?) async throws {
        guard let current else { return dismissAll(watch, Problem(.notFound)) }
        endStreamsOfExcludedParticipants(of: watch, accordingTo: current)
        guard ResultReader.tag(current.meeting) != watch.tag else { return watch.repeatLast() }
        guard !watch.viewers.isEmpty else { return }
        let results = try await reader.read(current.meeting)
        if watch.hasParticipants {
            // The rendered results may be newer than the state against which the participants were checked.
            guard let newer = try await store.viewerAccess.meetings([current.meeting.id])[current.meeting.id] else {
                return dismissAll(watch, Problem(.notFound))
            }
            endStreamsOfExcludedParticipants(of: watch, accordingTo: newer)
        }
        watch.publish(EventFrame.event("results", id: results.revision, data: results.body.bytes), tag: results.tag)
    }

    private func readMeetings(_ topic: LiveTopic, _ logger: Logger) async {
        guard case .meetings(let audience) = topic, let watch = watches[topic] else { return }
        watch.begin(spacing: pace.meetings)
        await attempt(watch, logger) { try await readMeetings(watch, of: audience) }
    }

    private func readMeetings(_ watch: LiveWatch, of audience: ViewerAccess.Audience) async throws {
        let meetings = try await store.viewerAccess.current(for: audience)
        watch.formIDs = Set(meetings.map(\.form.id))
        let body = LiveMeetings(items: meetings.map { LiveMeetings.Counters($0) })
        watch.publish(EventFrame.event("meetings", data: ByteBuffer(bytes: try ContractCoding.encode(body))))
    }

    /// Runs once a second. Ends the streams of viewers who are no longer authorized, and marks as dirty the topics that
    /// may have changed without a notification.
    func tick(_ logger: Logger) async {
        do {
            try await endUnauthorizedStreams()
            try await compare()
        } catch {
            logger.debug("Updating live streams failed", metadata: ["error": "\(error)"])
        }
        let staleSince = ContinuousClock.now - pace.listRefresh
        for watch in watches.values
        where watch.topic.kind == .meetings && watch.lastRead.map({ $0 <= staleSince }) == true {
            markDirty(watch)
        }
    }

    /// Compares all watched results with the database, because notifications can be lost, and are delayed if a form
    /// opens or closes by the clock. Also checks what participants may still see.
    private func compare() async throws {
        var receipts: [(LiveViewer, LiveTopic, ViewerAccess.Receipt)] = []
        let watched = watches.values.filter { $0.topic.kind == .results }
        guard !watched.isEmpty else { return }
        let meetings = try await store.viewerAccess.meetings(watched.compactMap(\.meetingID))
        for watch in watched {
            guard let current = watch.meetingID.flatMap({ meetings[$0] }) else {
                dismissAll(watch, Problem(.notFound))
                continue
            }
            endStreamsOfExcludedParticipants(of: watch, accordingTo: current)
            receipts += self.receipts(of: watch, requiredBy: current)
            if ResultReader.tag(current.meeting) != watch.tag { markDirty(watch) }
        }
        try await endStreamsOfWithdrawnSubmissions(receipts)
    }
}
