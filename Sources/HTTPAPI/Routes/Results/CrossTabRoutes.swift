import Contract
import Domain
import HTTPTypes
import Store

/// Numbers of questions together: cross-tabs of two, and the alpha of a grid.
struct CrossTabRoutes: Sendable {
    let store: Store
    let reader: FilterReader

    var routes: [Route] {
        [
            Route(
                .get, "/v1/meetings/{id}/results/crosstab", access: .account(.readResults),
                query: ["rows", "columns"], handler: crossTab),
            Route(
                .get, "/v1/meetings/{id}/results/alpha", access: .account(.readResults), query: ["grid"],
                handler: alpha),
        ]
    }

    private func crossTab(_ request: APIRequest) async throws -> APIResponse {
        let meeting = try await store.meetings.require(request.uuid("id"), by: request.requireCaller())
        let (rows, columns) = try request.query { ($0.string("rows"), $0.string("columns")) }
        return try await reader.respond(of: meeting, "crosstab", [rows ?? "", columns ?? ""]) { [store] in
            let found = try await store.filters.crossTab(of: meeting, rows: rows, columns: columns)
            return FilterReader.Body(
                revision: found.results.revision,
                bytes: try ContractCoding.encode(Contract.CrossTab(found, of: meeting)),
                isSampleReduced: found.isSampleReduced)
        }
    }

    private func alpha(_ request: APIRequest) async throws -> APIResponse {
        let meeting = try await store.meetings.require(request.uuid("id"), by: request.requireCaller())
        let grid = try request.query { $0.string("grid") }
        return try await reader.respond(of: meeting, "alpha", [grid ?? ""]) { [store] in
            let found = try await store.filters.alpha(of: meeting, grid: grid)
            return FilterReader.Body(
                revision: found.results.revision,
                bytes: try ContractCoding.encode(Contract.GridAlpha(found, of: meeting)),
                isSampleReduced: found.isSampleReduced)
        }
    }
}
