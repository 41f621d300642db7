import Contract
import Domain
import HTTPTypes
import Store
import StrictJSON

/// Creation of the next round of a series.
struct RoundRoutes: Sendable {
    let store: Store

    var routes: [Route] {
        [
            Route(
                .post, "/v1/series/{id}/meetings", access: .account(.writeMeetings),
                accepts: .optionalJSON(limit: 2 * 1024 * 1024), handler: createNext)
        ]
    }

    private func createNext(_ request: APIRequest) async throws -> APIResponse {
        let (seriesID, principal) = try await store.requireSeries(for: request, atLeast: .editor)
        let document = try await request.optionalDocument()
        let body = try document?.json() ?? .object([])
        return .created(
            try await store.rounds.createNext(
                of: seriesID, by: principal, once: request.idempotentRequest(document),
                read: { try NextRound.read(body, after: $0, asking: $1) },
                render: { try ContractCoding.encode(Contract.Meeting($0)) }))
    }
}
