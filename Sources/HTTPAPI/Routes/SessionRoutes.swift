import Contract
import Cryptography
import Domain
import HTTPTypes
import Store
import StrictJSON

/// Signing in and out.
struct SessionRoutes: Sendable {
    let store: Store
    let hasher: PasswordHasher

    var routes: [Route] {
        [
            Route(.post, "/v1/sessions", access: .anyone, accepts: .json(limit: 16 * 1024), handler: create),
            Route(.get, "/v1/sessions/current", access: .account(nil), handler: current),
            Route(.delete, "/v1/sessions/current", access: .account(nil), produces: [], handler: end),
        ]
    }

    private func create(_ request: APIRequest) async throws -> APIResponse {
        let reader = ObjectReader(try await request.document().json())
        let email = reader.requiredString("email")
        let password = reader.requiredString("password")
        let faults = reader.finish()
        guard let email, let password, faults.isEmpty else { throw Problem(faults) }
        guard let address = EmailAddress(email), password.utf8.count <= PasswordHash.maximumBytes else {
            throw Problem(.invalidCredentials)
        }
        let known = try await store.accounts.find(email: address)
        // An unknown address takes as long as a wrong password, so that answers do not tell which it was.
        let matches = try await verify(password, known?.passwordHash ?? Self.nobody)
        guard let known, matches, known.account.disabledAt == nil else { throw Problem(.invalidCredentials) }
        let session = try await store.tokens.createSession(for: known.account)
        return try .encoded(
            Session(token: session.token, expiresAt: session.expiresAt, account: AccountBody(known.account)),
            status: .created)
    }

    private func verify(_ password: String, _ hash: String) async throws -> Bool {
        do {
            return try await hasher.verify(password, hash)
        } catch {
            throw Problem(.overloaded, retryAfter: 1)
        }
    }

    private func current(_ request: APIRequest) async throws -> APIResponse {
        let principal = try request.requireCaller()
        return try .encoded(
            CurrentSession(expiresAt: principal.expiresAt, account: AccountBody(principal.account)))
    }

    private func end(_ request: APIRequest) async throws -> APIResponse {
        try await store.tokens.revoke(request.requireCaller().tokenID)
        return .noContent
    }

    /// The hash of a random password that nobody has.
    private static let nobody: String =
        (try? PasswordHash.make(Base64URL.encode(RandomBytes.make(32)))) ?? "$argon2id$unavailable"
}

extension AccountBody {
    init(_ account: Account) {
        self.init(
            id: ResourceID(account.id), email: account.email, name: account.name, role: account.role.rawValue)
    }
}
