import Contract
import Store

extension HostReader {
    /// What was decided at a meeting and before.
    public struct MeetingDecisions: Sendable {
        public var items: [Contract.Decision]
        /// The entity tag for the `If-Match` of a change.
        public var tag: String
        public var previous: Contract.Decisions.OfRound?
        /// The entity tag of the decisions of the previous round.
        public var previousTag: String?
    }

    /// The decisions of a meeting, and those of the last round before it at which something was decided.
    public func decisions(of details: MeetingDetails) async throws -> MeetingDecisions {
        let found = try await store.decisions.upTo(details.stored)
        return MeetingDecisions(
            items: found.own.items.map { Contract.Decision($0) }, tag: try Self.tag(found.own),
            previous: found.previous.map { .init($0) },
            previousTag: try found.previous.map { try Self.tag($0.decisions) })
    }

    /// The decisions of the newest round of a series at which something was decided; nil if there is none.
    public func latestDecisions(of series: SeriesAccess) async throws -> Contract.Decisions.OfRound? {
        try await store.decisions.latest(ofSeries: series.id.uuid).map { .init($0) }
    }

    private static func tag(_ decisions: StoredDecisions.OfMeeting) throws -> String {
        try ETag(revision: decisions.revision, digestOf: decisions.items.map { Contract.Decision($0) }).description
    }
}
