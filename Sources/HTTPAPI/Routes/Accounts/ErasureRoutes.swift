import Contract
import Domain
import Foundation
import HTTPTypes
import Store
import StrictJSON

/// Export and deletion of the caller's account, and erasure of a person by an admin.
struct ErasureRoutes: Sendable {
    let store: Store
    let enumerationLimit: AccountEnumerationLimit

    var routes: [Route] {
        [
            Route(.delete, "/v1/me", access: .account(nil), accepts: .optionalJSON(), produces: [], handler: leave),
            Route(.get, "/v1/me/data", access: .account(nil), handler: data),
            Route(.post, "/v1/admin/erasures", access: .admin(.admin), accepts: .json(), handler: erase),
        ]
    }

    private func leave(_ request: APIRequest) async throws -> APIResponse {
        let principal = try request.requireRecentSession()
        let reader = ObjectReader(try await request.optionalDocument()?.json() ?? .object([]))
        let heir = reader.emailAddress("heir")
        try reader.requireNoFaults()
        let deleteAccount = {
            try await store.erasures.deleteAccount(of: principal, heir: heir) {
                try request.checkMatch(revision: $0.revision)
            }
        }
        if heir == nil {
            try await deleteAccount()
        } else {
            try await enumerationLimit.limitLookups(by: principal.account.id) { try await deleteAccount() }
        }
        return .noContent
    }

    private func data(_ request: APIRequest) async throws -> APIResponse {
        let document = try await store.personalData.read(request.requireSession().account.id)
        return try .json(Contract.PersonalData(document)).with(
            .contentDisposition, "attachment; filename=\"afterword-data.json\"")
    }

    private func erase(_ request: APIRequest) async throws -> APIResponse {
        let principal = try request.requireRecentCaller()
        let reader = ObjectReader(try await request.document().json())
        let (email, heir) = (reader.requiredEmailAddress(), reader.emailAddress("heir"))
        let validEmail = try reader.requireNoFaults(reading: email)
        let erasure = try await store.erasures.erase(validEmail, heir: heir, by: principal)
        return try .json(Contract.Erasure(erasure))
    }
}
