import Contract
import Domain
import Logging
import NIOCore
import Store

extension LiveHub {
    /// Reads a topic and publishes what has changed. If this fails, it is repeated after a tick.
    func read(_ topic: LiveTopic, _ logger: Logger) async {
        guard let watch = watches[topic] else { return }
        do {
            switch topic {
            case .results:
                watch.begin(spacing: pace.results)
                try await readResults(watch)
            case .meetings(let audience):
                watch.begin(spacing: pace.meetings)
                try await readMeetings(watch, of: audience)
            }
        } catch {
            watch.fail(pause: pace.tick)
            logger.debug("Reading the updates of a live stream failed", metadata: ["error": "\(error)"])
        }
    }

    /// Renders the results once for all authorized viewers, if the results' tag has changed.
    private func readResults(_ watch: LiveWatch) async throws {
        guard let current = try await readMeeting(watch) else { return dismissAll(watch, Problem(.notFound)) }
        endStreamsOfExcludedParticipants(of: watch, accordingTo: current)
        guard ResultReader.tag(current.meeting) != watch.tag else { return watch.repeatLast() }
        guard !watch.viewers.isEmpty else { return }
        let results = try await reader.read(current.meeting)
        if watch.hasParticipants {
            // The rendered results may be newer than the state against which the participants were checked.
            guard let newer = try await readMeeting(watch) else { return dismissAll(watch, Problem(.notFound)) }
            endStreamsOfExcludedParticipants(of: watch, accordingTo: newer)
        }
        watch.publish(EventFrame.event("results", id: results.revision, data: results.body.bytes), tag: results.tag)
    }

    private func readMeeting(_ watch: LiveWatch) async throws -> ViewerAccess.WatchedMeeting? {
        guard let id = watch.meetingID else { return nil }
        return try await store.viewerAccess.meetings([id])[id]
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
