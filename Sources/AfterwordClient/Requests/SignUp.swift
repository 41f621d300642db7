import Contract

extension Endpoint {
    static let signUp = Endpoint("POST", "/v1/accounts")
    static let verifyAddress = Endpoint("POST", "/v1/accounts/verification")
    static let askForPassword = Endpoint("POST", "/v1/password-resets")
    static let resetPassword = Endpoint("PUT", "/v1/password-resets/{token}", .once)

    static let signUps = [signUp, verifyAddress, askForPassword, resetPassword]
}

extension Afterword {
    /// Asks for an account; a mail follows, whose token goes to ``verify(_:password:)``.
    ///
    /// It ends the same way for an address that has an account already, whose owner is told by mail.
    public func signUp(_ account: SignUpRequest) async throws {
        _ = try await call(.signUp, body: .json(account))
    }

    /// Makes the account whose mail had this token, with this password. A refused password does not spend the token.
    @discardableResult
    public func verify(_ token: String, password: String) async throws -> AccountBody {
        try await call(.verifyAddress, body: .json(VerificationRequest(token: token, password: password))).value()
    }

    /// Asks for a mail with which a forgotten password is replaced; it ends the same way for any address.
    public func askForNewPassword(email: String) async throws {
        _ = try await call(.askForPassword, body: .json(PasswordResetRequest(email: email)))
    }

    /// Sets a new password by the token of the mail, which ends every session and API token.
    public func resetPassword(_ token: String, to password: String) async throws {
        _ = try await call(.resetPassword, token, body: .json(NewPassword(password: password)))
    }
}
