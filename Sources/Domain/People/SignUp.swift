import StrictJSON

/// A request for an account.
public struct SignUp: Sendable, Equatable {
    public var email: EmailAddress
    public var name: String
    public var invitation: String?

    /// Parses the body of `POST /v1/accounts`. Throws a `Problem` with all errors. If the body contains a password, it
    /// is validated and then discarded, because the password is set by the verification.
    public static func read(_ body: JSONValue, passwords: PasswordRules) throws(Problem) -> SignUp {
        let reader = ObjectReader(body)
        let email = reader.requiredMailAddress()
        let name = reader.requiredPersonName()
        _ = reader.newPassword("password", for: email, by: passwords)
        let invitation = reader.string("invitation")
        let faults = reader.finish()
        guard let email, let name, faults.isEmpty else { throw Problem(faults) }
        return SignUp(email: email, name: name.text, invitation: invitation)
    }
}

extension ObjectReader {
    /// A required address that can receive mail. An invalid one is reported as `invalid-email`.
    public func requiredMailAddress(_ name: String = "email") -> EmailAddress? {
        require(name)
        return mailAddress(name)
    }

    /// An optional address that can receive mail. An invalid one is reported as `invalid-email`.
    func mailAddress(_ name: String = "email") -> EmailAddress? {
        guard let address = emailAddress(name) else { return nil }
        guard address.isMailable else {
            fault(at: name, code: "invalid-email", "An e-mail address is expected here.")
            return nil
        }
        return address
    }
}
