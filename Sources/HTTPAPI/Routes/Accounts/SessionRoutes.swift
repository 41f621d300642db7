import Contract
import Cryptography
import Domain
import Foundation
import HTTPServer
import HTTPTypes
import Store
import StrictJSON

/// Sign-in, and the session of the request.
struct SessionRoutes: Sendable {
    let store: Store
    let hasher: PasswordHasher
    let ownPassword: OwnPasswordCheck
    let log: SecurityLog
    let limits: SignInLimits

    var routes: [Route] {
        [
            Route(.post, "/v1/sessions", access: .anyone, accepts: .json(), handler: create),
            Route(.get, "/v1/sessions/current", access: .account(nil), handler: current),
            Route(.put, "/v1/sessions/current", access: .account(nil), accepts: .json(), handler: confirm),
            Route(.delete, "/v1/sessions/current", access: .account(nil), produces: [], handler: end),
        ]
    }

    private func create(_ request: APIRequest) async throws -> APIResponse {
        let reader = ObjectReader(try await request.document().json())
        let email = reader.requiredString("email")
        let password = reader.requiredString("password")
        let faults = reader.finish()
        guard let email, let password, faults.isEmpty else { throw Problem(faults) }
        let address = EmailAddress(email)
        let client = request.clientAddress
        let attempt = try await limits.begin(address, from: client)
        if let wait = attempt.wait {
            await recordRefusal(attempt, address, request)
            throw Problem(.tooManyRequests, retryAfter: wait)
        }
        guard let address, password.utf8.count <= PasswordHash.maximumBytes else {
            log.record(.signInFailed, client: client, request: request.id)
            throw Problem(.invalidCredentials)
        }
        let (session, account): (Session?, UUID?)
        do {
            (session, account) = try await signIn(address, password, from: client, request)
        } catch {
            await limits.giveBack(attempt)
            throw error
        }
        guard let session else {
            recordFailure(account, attempt, request)
            throw Problem(.invalidCredentials)
        }
        await limits.succeeded(attempt)
        log.record(.signedIn, account: account, client: client, request: request.id)
        return try .json(session, status: .created)
    }

    private func recordFailure(_ account: UUID?, _ attempt: SignInLimits.Attempt, _ request: APIRequest) {
        log.record(.signInFailed, account: account, client: request.clientAddress, request: request.id)
        recordLocks(account, attempt, request)
        if let account, limits.isAttacked(afterFailureOf: account) {
            log.record(.signInLocked, account: account, client: nil, request: request.id, scope: "account")
        }
    }

    /// Records an attempt beyond a limit, so that a continuing attack stays visible. The password was not checked.
    private func recordRefusal(
        _ attempt: SignInLimits.Attempt, _ address: EmailAddress?, _ request: APIRequest
    ) async {
        // The entry has to name the same account as the entry for the lock-out. Without a database it names none.
        let account = if let address { try? await store.accounts.find(email: address)?.account.id } else { UUID?.none }
        recordLocks(account, attempt, request)
    }

    private func recordLocks(_ account: UUID?, _ attempt: SignInLimits.Attempt, _ request: APIRequest) {
        let (client, id) = (request.clientAddress, request.id)
        if attempt.usesUpPair {
            log.record(.signInLocked, account: account, client: client, request: id, scope: "account-and-address")
        }
        if attempt.usesUpClient { log.record(.signInLocked, client: client, request: id, scope: "address") }
    }

    /// Returns a session if the password is correct. An unknown address costs one password hash too, so that the
    /// response time does not reveal whether the account exists.
    private func signIn(
        _ address: EmailAddress, _ password: String, from client: ClientAddress, _ request: APIRequest
    ) async throws -> (session: Session?, account: UUID?) {
        guard let known = try await store.accounts.find(email: address) else {
            _ = try await hasher.hash(password, for: client.text)
            return (nil, nil)
        }
        let device = request.headers[.userAgent].flatMap(DeviceName.text)
        guard try await hasher.verify(password, known.passwordHash, for: client.text),
            let session = try await store.tokens.signIn(
                known.account, passwordHash: known.passwordHash, device: device)
        else { return (nil, known.account.id) }
        return (
            Session(token: session.token, expiresAt: session.expiresAt, account: AccountBody(known.account)),
            known.account.id
        )
    }

    private func current(_ request: APIRequest) async throws -> APIResponse {
        let principal = try request.requireCaller()
        return try .json(
            CurrentSession(expiresAt: principal.expiresAt, account: AccountBody(principal.account)))
    }

    /// Checks the password again and replaces the session's token. For the next 15 minutes, the session may perform
    /// actions that require a confirmation.
    private func confirm(_ request: APIRequest) async throws -> APIResponse {
        let principal = try request.requireSession()
        let reader = ObjectReader(try await request.document().json())
        let password = try reader.requireNoFaults(reading: reader.requiredString("password"))
        let hash = try await ownPassword.require(password, at: "/password", of: principal.account.id, request)
        guard case .bearer(let token) = request.credentials else { throw Problem(.unauthorized) }
        let session = try await store.tokens.confirm(principal, token: token, passwordHash: hash)
        return try .json(
            Session(token: session.token, expiresAt: session.expiresAt, account: AccountBody(principal.account)))
    }

    private func end(_ request: APIRequest) async throws -> APIResponse {
        try await store.tokens.revoke(request.requireCaller().tokenID)
        return .noContent
    }
}
