import Contract
import Domain
import Foundation
import Store

extension HostReader {
    /// A series that the host may see, with the host's access to it. Further reads of the series require this value.
    public struct SeriesAccess: Sendable {
        public let id: ResourceID
        let access: Access
    }

    public struct SeriesDetails: Sendable {
        public var series: Contract.Series
        /// The entity tag for the `If-Match` of a change.
        public var tag: String
        public let access: SeriesAccess

        init(_ stored: MeetingSeries) throws {
            series = Contract.Series(stored)
            tag = try ETag(revision: stored.revision, digestOf: series).description
            access = SeriesAccess(id: ResourceID(stored.id), access: stored.access)
        }
    }

    /// A series; `latest` is nil, because its rounds are read separately.
    public func series(_ id: ResourceID) async throws -> SeriesDetails {
        try SeriesDetails(await store.series.requireWithoutLatest(id.uuid, by: principal))
    }

    /// A page of the host's series.
    ///
    /// - Parameters:
    ///   - text: Text that the title must contain.
    ///   - cursor: An earlier page's `next`. Throws 422 for a cursor of another list.
    public func series(
        inTrash: Bool = false, containing text: String? = nil, order: SeriesOrder = .created,
        after cursor: String? = nil, limit: Int = 50
    ) async throws -> (series: [SeriesDetails], next: String?) {
        let order = SeriesQuery.Order(rawValue: order.rawValue) ?? .created
        let after = try cursor.map { text in
            guard let position = Cursor.series(text, in: order) else { throw Problem([.invalidCursor]) }
            return position
        }
        let found = try await store.series.list(
            SeriesQuery(inTrash: inTrash, searchText: text, order: order, after: after, limit: limit + 1),
            by: principal)
        let shown = found.prefix(limit)
        let next = found.count > limit ? shown.last.map { Cursor.after($0, in: order) } : nil
        return (try shown.map(SeriesDetails.init), next)
    }

    /// The newest rounds of several series, the newest first.
    public func rounds(
        ofEach series: [SeriesAccess], limit: Int
    ) async throws -> [ResourceID: [Contract.Meeting]] {
        let found = try await store.series.rounds(ofEach: series.map(\.id.uuid), limit: limit, for: principal)
        return found.reduce(into: [:]) { all, entry in
            all[ResourceID(entry.key)] = entry.value.map { Contract.Meeting($0) }
        }
    }

    /// The newest rounds of a series before the given one, the newest first, and whether there are more.
    public func rounds(
        of series: SeriesAccess, before round: Int? = nil, limit: Int
    ) async throws -> (rounds: [Contract.Meeting], hasMore: Bool) {
        let found = try await store.series.rounds(of: series.id.uuid, before: round, limit: limit + 1, for: principal)
        return (found.prefix(limit).map { Contract.Meeting($0) }, found.count > limit)
    }

    /// The owner and co-hosts of a series, ordered by address; throws 403 unless the host owns it.
    public func hosts(of series: SeriesAccess, limit: Int) async throws -> [Contract.CoHost] {
        guard series.access >= .owner else { throw Problem(.forbidden) }
        return try await store.coHosts.list(of: series.id.uuid, after: nil, limit: limit).map { Contract.CoHost($0) }
    }

    /// Who came to the newest rounds of a series; throws 403 for viewers, who do not see names.
    public func attendanceGrid(of series: SeriesAccess) async throws -> AttendanceGrid {
        guard series.access > .viewer else { throw Problem(.forbidden) }
        return try await store.attendees.grid(of: series.id.uuid, for: principal.account.id)
    }

    /// The newest invitations of the service; throws 403 unless the host is an admin.
    public func invitations(limit: Int) async throws -> [Contract.Invitation] {
        guard principal.isAdmin else { throw Problem(.forbidden, "Only admins may do this.") }
        return try await store.invitations.list(after: nil, limit: limit).map { Contract.Invitation($0) }
    }
}
