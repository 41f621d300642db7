import Contract
import Cryptography
import Domain
import Foundation
import HTTPServer
import HTTPTypes
import Store
import StrictJSON

/// Sign-up and password resets by mail. The responses do not reveal which addresses have an account.
struct SignUpRoutes: Sendable {
    let store: Store
    let hasher: PasswordHasher
    let options: ServiceOptions
    let letters: LetterCatalogues
    let codeLimit: CodeEnumerationLimit
    let log: SecurityLog
    private var limits: MailLimits { MailLimits(attempts: store.attempts) }

    var routes: [Route] {
        [
            Route(.post, "/v1/accounts", access: .anyone, accepts: .json(), handler: signUp),
            Route(.post, "/v1/accounts/verification", access: .anyone, accepts: .json(), handler: verify),
            Route(.post, "/v1/password-resets", access: .anyone, accepts: .json(), handler: requestReset),
            Route(.put, "/v1/password-resets/{token}", access: .anyone, accepts: .json(), produces: [], handler: reset),
        ]
    }

    private func signUp(_ request: APIRequest) async throws -> APIResponse {
        let signUp = try SignUp.read(try await request.document().json(), passwords: .standard)
        try await countMailRequest(request)
        if signUp.invitation == nil, !options.allowsSignUp {
            throw Problem(.forbidden, "An invitation is needed to create an account here.")
        }
        return try await ConstantTimeResponse.run {
            var invitation: InvitationInUse?
            if let code = signUp.invitation {
                invitation = try await store.registrations.requireInvitation(code, for: signUp.email)
            }
            let isLimited = try await store.registrations.begin(
                signUp, invitation: invitation, service: options.publicURL, letters: letters.preferred(by: request),
                limit: MailLimits.signUps)
            if isLimited { recordLimit(request, scope: "mailbox") }
            return Self.accepted
        }
    }

    private func verify(_ request: APIRequest) async throws -> APIResponse {
        let reader = ObjectReader(try await request.document().json())
        let token = reader.requiredString("token")
        // Looked up before the expensive hash. A rejected password does not use up the token.
        let address = if let token { try await store.registrations.awaitedAddress(token) } else { EmailAddress?.none }
        if token != nil, address == nil { reader.add([Registrations.invalidToken]) }
        let password = reader.requiredNewPassword("password", for: address, by: .standard)
        let faults = reader.finish()
        do {
            guard let token, let password, faults.isEmpty else { throw Problem(faults) }
            let account = try await store.registrations.verify(
                token, passwordHash: hasher.hash(password, for: request.clientAddress.text))
            return try .json(AccountBody(account), status: .created)
        } catch let problem as Problem where problem.faults.contains(where: { $0.code == "invalid-token" }) {
            // The sign-up page tries every invitation code here, but only a code for one address verifies that address.
            // The failure of another invitation code is not a guess.
            if let token, try await !store.registrations.isInvitation(token) {
                log.record(.verificationFailed, client: request.clientAddress, request: request.id)
            }
            throw problem
        }
    }

    private func requestReset(_ request: APIRequest) async throws -> APIResponse {
        let reader = ObjectReader(try await request.document().json())
        let email = try reader.requireNoFaults(reading: reader.requiredEmailAddress())
        try await countMailRequest(request)
        return try await ConstantTimeResponse.run {
            let isLimited = try await store.passwordResets.begin(
                for: email, service: options.publicURL, letters: letters.preferred(by: request),
                limit: MailLimits.resets)
            if isLimited { recordLimit(request, scope: "mailbox") }
            return Self.accepted
        }
    }

    private func reset(_ request: APIRequest) async throws -> APIResponse {
        let token = try request.parameter("token")
        let address = try await codeLimit.limitMisses(token, of: request, as: .resetTokenGuesses) {
            try await store.passwordResets.require(token)
        }
        let reader = ObjectReader(try await request.document().json())
        let password = try reader.requireNoFaults(
            reading: reader.requiredNewPassword("password", for: address, by: .standard))
        try await store.passwordResets.complete(
            token, passwordHash: hasher.hash(password, for: request.clientAddress.text), service: options.publicURL,
            letters: letters.preferred(by: request))
        return .noContent
    }

    private func countMailRequest(_ request: APIRequest) async throws {
        do {
            try await limits.take(from: request.clientAddress)
        } catch let problem as Problem where problem.code == .tooManyRequests {
            recordLimit(request, scope: "address")
            throw problem
        }
    }

    private func recordLimit(_ request: APIRequest, scope: String) {
        log.record(
            .limitReached, client: request.clientAddress, request: request.id, route: request.route.name, scope: scope)
    }

    /// The response for every address, known or not.
    private static let accepted = APIResponse.json(.object([]), status: .accepted)
}
