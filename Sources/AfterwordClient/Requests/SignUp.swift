import Contract

extension Endpoint {
    static let signUp = Endpoint("POST", "/v1/accounts")
    static let verifyAddress = Endpoint("POST", "/v1/accounts/verification")
    static let requestPasswordReset = Endpoint("POST", "/v1/password-resets")
    static let resetPassword = Endpoint("PUT", "/v1/password-resets/{token}", .notIdempotent)

    static let signUps = [signUp, verifyAddress, requestPasswordReset, resetPassword]
}

extension Afterword {
    /// Requests an account. The service mails a token for ``verify(_:password:)``.
    ///
    /// The response does not show whether the address already has an account. If it has one, the service mails a notice
    /// to its owner instead of a token.
    public func signUp(_ account: SignUpRequest) async throws {
        _ = try await call(.signUp, body: .json(account))
    }

    /// Creates the account for a mailed token. The token stays valid if the password is rejected.
    @discardableResult
    public func verify(_ token: String, password: String) async throws -> AccountBody {
        try await call(.verifyAddress, body: .json(VerificationRequest(token: token, password: password))).value()
    }

    /// Requests a mail for resetting the password. The response is the same whether or not the address has an account.
    public func requestPasswordReset(email: String) async throws {
        _ = try await call(.requestPasswordReset, body: .json(PasswordResetRequest(email: email)))
    }

    /// Sets a new password with the mailed token. Ends all sessions and revokes all API tokens.
    public func resetPassword(_ token: String, to password: String) async throws {
        _ = try await call(.resetPassword, token, body: .json(NewPassword(password: password)))
    }
}
