import Contract
import HTTPTypes
import Store

/// Database sizes and queue lengths, for admins.
struct StorageRoutes: Sendable {
    let store: Store

    var routes: [Route] { [Route(.get, "/v1/admin/storage", access: .admin(.admin), handler: show)] }

    private func show(_ request: APIRequest) async throws -> APIResponse {
        try .json(Contract.Storage(await store.usage.read()))
    }
}
