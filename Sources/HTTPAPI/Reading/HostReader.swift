import Contract
import Domain
import Foundation
import Store

/// Reads what a signed-in host may see, for pages of the same process. It reads from the store with the host's rights
/// and returns the contract's values.
///
/// Changes go through the API's handlers instead, which check preconditions, limits and bodies. Methods throw the
/// `Problem` that the API would respond with.
public struct HostReader: Sendable {
    let store: Store
    let principal: Principal
    let cache: HostReadingCache

    /// Returns nil unless the token is that of a valid session. An API token is not accepted, because it may have fewer
    /// rights than its account.
    ///
    /// - Parameter cache: Shared by all readers of the store.
    public init?(token: String, in store: Store, cache: HostReadingCache) async throws {
        guard let principal = try await store.tokens.find(token), principal.isSession else { return nil }
        self.store = store
        self.principal = principal
        self.cache = cache
    }

    /// Reads with the rights of a caller, among them those of an API token. The caller has to have the scope of what it
    /// reads.
    init(_ principal: Principal, in store: Store, cache: HostReadingCache) {
        (self.principal, self.store, self.cache) = (principal, store, cache)
    }

    /// Reads everything, for commands that the operator runs.
    public static func ofOperator(in store: Store) -> HostReader {
        HostReader(.ofOperator(), in: store, cache: HostReadingCache())
    }

    /// Whether the scopes include reading meetings, in addition to results.
    public var readsMeetings: Bool { principal.scopes.contains(.readMeetings) }
    public var accountID: ResourceID { ResourceID(principal.account.id) }
    public var email: String { principal.account.email }
    public var isAdmin: Bool { principal.account.role == .admin }
    /// The time zone of the host's profile, an IANA name.
    public var timeZone: String? { principal.timeZone }

    /// When the generated password of the first admin ends; nil for other accounts, and once another was chosen.
    public func initialPasswordEnd() async throws -> Date? {
        isAdmin ? try await store.accounts.initialPasswordEnd(of: principal.account.id) : nil
    }

    // MARK: Meetings

    /// A meeting with its form and its position in its series.
    public struct MeetingDetails: Sendable {
        /// Another round of the series.
        public struct Neighbour: Sendable {
            public var id: ResourceID
            public var round: Int
            public var title: String
        }

        public var meeting: Contract.Meeting
        public var form: Contract.Form
        public var canEdit: Bool
        /// The number of rounds of the series.
        public var rounds: Int
        public var earlier: Neighbour?
        public var later: Neighbour?
        /// The round with the highest number.
        public var latest: Neighbour?
        public let series: SeriesAccess
        let stored: StoredMeeting
    }

    public func meeting(_ id: ResourceID) async throws -> MeetingDetails {
        let found = try await store.meetings.requireInSeries(id.uuid, by: principal)
        func neighbor(_ round: MeetingInSeries.Neighbour?) -> MeetingDetails.Neighbour? {
            round.map { .init(id: ResourceID($0.id), round: $0.round, title: $0.title) }
        }
        return MeetingDetails(
            meeting: Contract.Meeting(found.meeting), form: Contract.Form(found.form),
            canEdit: found.access > .viewer, rounds: found.rounds, earlier: neighbor(found.earlier),
            later: neighbor(found.later), latest: neighbor(found.latest),
            series: SeriesAccess(id: ResourceID(found.meeting.seriesID), access: found.access), stored: found.meeting)
    }

    /// The personal link of one person.
    public struct HeldLink: Sendable {
        public var name: String
        public var email: String?
        let link: StoredPersonalLink

        public func url(under publicURL: String) -> String { link.url(under: publicURL) }
    }

    /// The personal links of everyone on the meeting's list. Editors alone may see them, and the audit trail records it.
    public func personalLinks(of details: MeetingDetails) async throws -> [HeldLink] {
        let meeting = details.stored
        return try await store.personalLinks.makeAll(of: meeting.id, in: meeting.seriesID, by: principal)
            .map { HeldLink(name: $0.name, email: $0.email, link: $0.link) }
    }

    /// The form of a meeting that the host may see.
    public func form(of meetingID: ResourceID) async throws -> Contract.Form {
        Contract.Form(try await store.meetings.requireInSeries(meetingID.uuid, by: principal).form)
    }

    /// The running meeting, or else the next to start; nil if there is none.
    public func currentMeeting() async throws -> Contract.Meeting? {
        do {
            return Contract.Meeting(try await store.meetings.current(for: principal))
        } catch let problem as Problem where problem.code == .notFound {
            return nil
        }
    }

    /// The meetings that start within a period, the latest first.
    public func meetings(from: Date, to: Date, limit: Int) async throws -> [Contract.Meeting] {
        try await store.meetings.list(MeetingQuery(from: from, to: to, limit: limit), by: principal)
            .map { Contract.Meeting($0) }
    }

    /// The times within a period at which the host's meetings block other meetings, at most 50.
    public func busyTimes(from: Date, to: Date) async throws -> [DateInterval] {
        try await store.meetings.conflicts(from: from, to: to, in: nil, for: principal)
            .map { DateInterval(start: $0.startsAt, end: $0.endsAt) }
    }
}
