import Contract
import Domain
import HTTPTypes
import Store

/// Co-hosts of a series, and its transfer to another owner.
struct CoHostRoutes: Sendable {
    let store: Store
    let enumerationLimit: AccountEnumerationLimit

    var routes: [Route] {
        let hosts = "/v1/series/{id}/hosts"
        return [
            Route(.get, hosts, access: .account(.readMeetings), query: ["limit", "cursor"], handler: list),
            Route(.post, hosts, access: .account(.writeMeetings), accepts: .json(), handler: add),
            Route(
                .delete, hosts, access: .account(.writeMeetings), accepts: .json(), produces: [],
                handler: removeByAddress),
            Route(.delete, hosts + "/{accountId}", access: .account(.writeMeetings), produces: [], handler: remove),
            Route(
                .post, "/v1/series/{id}/transfer", access: .account(.writeMeetings), accepts: .json(),
                handler: transfer),
        ]
    }

    private func list(_ request: APIRequest) async throws -> APIResponse {
        let (id, _) = try await store.requireSeries(for: request, atLeast: .owner)
        let (limit, after) = try request.page(after: Cursor.address)
        let found = try await store.coHosts.list(of: id, after: after, limit: limit + 1)
        return try .page(found, limit: limit, after: { Cursor.after(address: $0.email) }) { Contract.CoHost($0) }
    }

    private func add(_ request: APIRequest) async throws -> APIResponse {
        // A co-host reads the results.
        try request.require(.readResults)
        let (id, principal) = try await store.requireSeries(for: request, atLeast: .owner)
        let draft = try CoHostDraft.read(await request.document().json())
        let (host, isNew) = try await enumerationLimit.limitLookups(by: principal.account.id) {
            try await store.coHosts.add(draft, to: id, by: principal)
        }
        return try .json(Contract.CoHost(host), status: isNew ? .created : .ok)
    }

    private func remove(_ request: APIRequest) async throws -> APIResponse {
        try await store.coHosts.remove(
            request.uuid("accountId"), from: request.uuid("id"), by: request.requireCaller())
        return .noContent
    }

    private func removeByAddress(_ request: APIRequest) async throws -> APIResponse {
        let (id, principal) = (try request.uuid("id"), try request.requireCaller())
        let series = try await store.series.require(id, by: principal)
        let email = try CoHostDraft.readAddress(await request.document().json())
        guard series.role == "owner" || EmailAddress(principal.account.email) == email else {
            throw Problem(.forbidden)
        }
        guard let accountID = try await store.coHosts.find(email, in: id) else { throw Problem(.notFound) }
        try await store.coHosts.remove(accountID, from: id, by: principal)
        return .noContent
    }

    private func transfer(_ request: APIRequest) async throws -> APIResponse {
        let (id, principal) = try await store.requireSeries(for: request, atLeast: .owner)
        _ = try request.requireRecentCaller()
        try request.require(.readResults)
        let transfer = try SeriesTransfer.read(await request.document().json())
        try await enumerationLimit.limitLookups(by: principal.account.id) {
            try await store.coHosts.transfer(id, transfer, by: principal) { revision in
                try request.checkMatch(revision: revision)
            }
        }
        let transferred = try await store.series.require(id, by: principal)
        return try .tagged(Contract.Series(transferred), revision: transferred.revision)
    }
}
