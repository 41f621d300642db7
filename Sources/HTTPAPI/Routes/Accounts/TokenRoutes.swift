import Contract
import Domain
import Foundation
import HTTPTypes
import Store

/// The caller's own sessions and API tokens.
struct TokenRoutes: Sendable {
    let store: Store

    var routes: [Route] {
        let paging = ["limit", "cursor"]
        return [
            Route(.get, "/v1/sessions", access: .account(nil), query: paging, handler: sessions),
            Route(.delete, "/v1/sessions/{id}", access: .account(nil), produces: [], handler: endSession),
            Route(.get, "/v1/tokens", access: .account(nil), query: paging, handler: tokens),
            Route(.post, "/v1/tokens", access: .account(nil), accepts: .json(), handler: create),
            Route(.delete, "/v1/tokens/{id}", access: .account(nil), produces: [], handler: revoke),
        ]
    }

    private func sessions(_ request: APIRequest) async throws -> APIResponse {
        let current = try request.requireSession().tokenID
        return try await page(request, .session) { SessionSummary($0, current: current) }
    }

    private func tokens(_ request: APIRequest) async throws -> APIResponse {
        _ = try request.requireSession()
        return try await page(request, .api) { APIToken($0) }
    }

    private func page(
        _ request: APIRequest, _ kind: Tokens.Kind, _ item: (TokenFacts) -> some Codable & Sendable
    ) async throws -> APIResponse {
        let (limit, last) = try request.page(after: Cursor.id(of: kind.rawValue))
        let found = try await store.tokens.list(
            kind, of: request.requireCaller().account.id, after: last, limit: limit + 1)
        return try .page(found, limit: limit, after: { Cursor.after($0.id, of: kind.rawValue) }, item)
    }

    private func endSession(_ request: APIRequest) async throws -> APIResponse {
        let (id, principal) = (try request.uuid("id"), try request.requireSession())
        // Ending the current session is a sign-out, which needs no confirmation.
        if id != principal.tokenID { _ = try request.requireRecentSession() }
        try await store.tokens.revoke(id, .session, by: principal)
        return .noContent
    }

    private func revoke(_ request: APIRequest) async throws -> APIResponse {
        try await store.tokens.revoke(request.uuid("id"), .api, by: request.requireSession())
        return .noContent
    }

    private func create(_ request: APIRequest) async throws -> APIResponse {
        let principal = try request.requireRecentSession()
        let document = try await request.document()
        let draft = try TokenDraft.read(document.json(), known: Principal.Scope.allCases.map(\.rawValue))
        let (creation, secret) = try await store.tokens.create(
            draft, by: principal, once: request.idempotentRequest(document)
        ) { try ContractCoding.encode(APIToken($0)) }
        return try .created(creation, APIToken.self) { $0.token = secret }
    }
}

extension APIRequest {
    /// The caller, who must be signed in with a session. An API token must not create tokens that outlast it, or delete
    /// the account.
    func requireSession() throws(Problem) -> Principal {
        let principal = try requireCaller()
        guard principal.isSession else {
            throw Problem(.forbidden, "A session is required; an API token is not enough.")
        }
        return principal
    }

    /// The caller, who must be signed in with a session whose password was checked within the last 15 minutes. Required
    /// for everything that a stolen session must not be able to do.
    func requireRecentSession() throws(Problem) -> Principal {
        _ = try requireSession()
        return try requireRecentCaller()
    }

    /// Like ``requireRecentSession()``, but an API token is enough. Its creation required a recent session, and its
    /// scopes say what it may do.
    func requireRecentCaller() throws(Problem) -> Principal {
        let principal = try requireCaller()
        guard !principal.isSession || principal.isRecentlyConfirmed else {
            throw Problem(
                .reauthenticationRequired,
                "Send the account's password in PUT /v1/sessions/current, then repeat this within 15 minutes.")
        }
        return principal
    }
}
