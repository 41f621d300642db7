import Contract
import Domain
import Foundation
import HTTPTypes
import Store

/// Series: list, read, change, delete and restore; and the list of a series' rounds.
struct SeriesRoutes: Sendable {
    /// The values of `state`.
    private enum Phase: String, CaseIterable { case trash }

    let store: Store

    var routes: [Route] {
        let path = "/v1/series/{id}"
        return [
            Route(
                .get, "/v1/series", access: .account(.readMeetings), query: ["q", "state", "order", "limit", "cursor"],
                handler: list),
            Route(.get, path, access: .account(.readMeetings), handler: get),
            Route(.patch, path, access: .account(.writeMeetings), accepts: .json(), handler: change),
            Route(.delete, path, access: .account(.writeMeetings), produces: [], handler: trash),
            Route(.post, path + "/restore", access: .account(.writeMeetings), handler: restore),
            Route(
                .get, path + "/meetings", access: .account(.readMeetings), query: ["limit", "cursor"], handler: rounds),
        ]
    }

    private func list(_ request: APIRequest) async throws -> APIResponse {
        let query = try request.query { reader in
            let order = reader.choice("order", of: SeriesQuery.Order.self) ?? .created
            return SeriesQuery(
                inTrash: reader.choice("state", of: Phase.self) == .trash,
                searchText: reader.string("q").flatMap { $0.isEmpty ? nil : $0 }, order: order,
                after: reader.cursor { Cursor.series($0, in: order) }, limit: reader.limit())
        }
        var wanted = query
        wanted.limit += 1
        let found = try await store.series.list(wanted, by: request.requireCaller())
        return try .page(found, limit: query.limit, after: { Cursor.after($0, in: query.order) }) {
            Contract.Series($0)
        }
    }

    private func get(_ request: APIRequest) async throws -> APIResponse {
        let series = try await store.series.require(request.uuid("id"), by: request.requireCaller())
        return try .tagged(Contract.Series(series), revision: series.revision)
    }

    private func change(_ request: APIRequest) async throws -> APIResponse {
        let (id, principal) = (try request.uuid("id"), try request.requireCaller())
        let current = try await store.series.require(id, by: principal, atLeast: .editor)
        // Checked before the body is read, and again under the lock.
        try request.requireMatch(revision: current.revision)
        let change = try SeriesChange.read(await request.document().json())
        let series = try await store.series.change(id, change, by: principal) { series in
            try request.requireMatch(revision: series.revision)
        }
        return try .tagged(Contract.Series(series), revision: series.revision)
    }

    private func trash(_ request: APIRequest) async throws -> APIResponse {
        try await store.series.trash(request.uuid("id"), by: request.requireCaller()) { series in
            try request.checkMatch(revision: series.revision)
        }
        return .noContent
    }

    private func restore(_ request: APIRequest) async throws -> APIResponse {
        let series = try await store.series.restore(request.uuid("id"), by: request.requireCaller()) { series in
            try request.checkMatch(revision: series.revision)
        }
        return try .tagged(Contract.Series(series), revision: series.revision)
    }

    private func rounds(_ request: APIRequest) async throws -> APIResponse {
        let (id, principal) = try await store.requireSeries(for: request)
        let (limit, before) = try request.page(after: Cursor.round)
        let found = try await store.series.rounds(of: id, before: before, limit: limit + 1, for: principal)
        return try .page(found, limit: limit, after: Cursor.afterRound) { Contract.Meeting($0) }
    }
}

extension Store {
    /// The id of the series in the path, and the caller. Throws unless the caller has at least this access to it.
    func requireSeries(
        for request: APIRequest, atLeast access: Access = .viewer
    ) async throws -> (id: UUID, principal: Principal) {
        let (id, principal) = (try request.uuid("id"), try request.requireCaller())
        try await meetings.requireSeries(id, by: principal, atLeast: access)
        return (id, principal)
    }

    /// The meeting in the path, and the caller. Throws unless the caller may edit the meeting.
    func requireEditableMeeting(
        for request: APIRequest
    ) async throws -> (meeting: StoredMeeting, principal: Principal) {
        let principal = try request.requireCaller()
        return (try await meetings.require(request.uuid("id"), by: principal, atLeast: .editor), principal)
    }
}

extension APIRequest {
    /// Throws 403 unless the token has this scope in addition to the route's.
    func require(_ scope: Principal.Scope) throws(Problem) {
        guard try requireCaller().scopes.contains(scope) else {
            throw Problem(.forbidden, "The token lacks the scope \(scope.rawValue).")
        }
    }
}
