import Domain
import Logging
import NIOCore
import Store
import StrictJSON

extension LiveHub {
    func read(_ due: [LiveWatch], _ kind: LiveTopic.Kind, _ logger: Logger) async {
        switch kind {
        case .results:
            for watch in due { watch.begin(spacing: pace.results) }
            do {
                try await readResults(due)
            } catch {
                // Each is looked at again; what was published already is not published twice.
                for watch in due { watch.fail(pause: pace.tick) }
                logger.debug("Live results could not be read", metadata: ["error": "\(error)"])
            }
        case .meetings:
            for watch in due {
                watch.begin(spacing: pace.meetings)
                do {
                    try await readMeetings(watch)
                } catch {
                    watch.fail(pause: pace.tick)
                    logger.debug("Live meetings could not be read", metadata: ["error": "\(error)"])
                }
            }
        }
    }

    /// One row says whether there is news; only then it is rendered, once for everybody.
    private func readResults(_ due: [LiveWatch]) async throws {
        let meetings = try await store.watching.meetings(due.compactMap(\.meetingID))
        for watch in due {
            guard let meeting = watch.meetingID.flatMap({ meetings[$0]?.meeting }) else {
                dismissAll(watch, Problem(.notFound))
                continue
            }
            if ResultReader.tag(meeting) == watch.tag {
                watch.repeatLast()
                continue
            }
            let results = try await reader.read(meeting)
            watch.publish(
                EventFrame.event("results", id: results.revision, data: results.bytes), tag: results.tag)
        }
    }

    private func readMeetings(_ watch: LiveWatch) async throws {
        guard case .meetings(let audience) = watch.topic else { return }
        let meetings = try await store.watching.current(for: audience)
        watch.formIDs = Set(meetings.map(\.form.id))
        let body = JSONValue.object([.init("items", .array(meetings.map(\.counters)))])
        watch.publish(EventFrame.event("meetings", data: ByteBuffer(bytes: body.bytes)))
    }

    /// Once a second: who may still look on, what changed without a notification, and a line where all is quiet.
    func tick(_ logger: Logger) async {
        do {
            try await judge()
            try await compare()
        } catch {
            logger.debug("Live streams could not be looked after", metadata: ["error": "\(error)"])
        }
        for watch in watches.values {
            if watch.topic.kind == .meetings { markDirty(watch) }
            for viewer in watch.viewers.values { viewer.tick() }
        }
    }

    /// A notification can be lost, and attendance and the clock tell nobody: all that is watched is compared, and what is
    /// shown to participants with it.
    private func compare() async throws {
        let watched = watches.values.filter { $0.topic.kind == .results }
        guard !watched.isEmpty else { return }
        let meetings = try await store.watching.meetings(watched.compactMap(\.meetingID))
        for watch in watched {
            guard let current = watch.meetingID.flatMap({ meetings[$0] }) else {
                dismissAll(watch, Problem(.notFound))
                continue
            }
            judgeParticipants(of: watch, by: current)
            if ResultReader.tag(current.meeting) != watch.tag { markDirty(watch) }
        }
    }
}

extension Meeting {
    /// What `/v1/live` tells of it.
    var counters: JSONValue {
        .object([
            .init("id", .string(id.lowercased)), .init("title", .string(title)), .init("round", JSONValue(round)),
            .init("state", JSONValue(phase)), .init("formState", .string(form.state(at: now).rawValue)),
            .init("attended", JSONValue(attended)), .init("submissions", JSONValue(form.submissions)),
            .init("headcount", JSONValue(headcount)),
        ])
    }
}
