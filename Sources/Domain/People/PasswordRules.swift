import StrictJSON

/// Checks new passwords. Existing passwords are not checked again, to avoid locking anyone out.
public struct PasswordRules: Sendable {
    /// A reason to refuse a password. The raw value is the code of the fault.
    public enum Weakness: String, Sendable, CaseIterable {
        case tooShort = "too-short"
        case tooLong = "too-long"
        /// White space alone.
        case blank
        /// The address of the account or its part before the `@`, alone or followed by digits and symbols.
        case ownAddress = "own-address"
        /// One of the passwords that are guessed first: a common one, or the name of this program alone or followed by
        /// digits and symbols.
        case common = "common-password"
    }

    public static let minCharacters = 10

    private let maxBytes: Int
    private let isCommon: @Sendable (_ password: String) -> Bool

    /// - Parameter isCommon: Whether a password in lower case, without white space at its ends, is a common one.
    public init(maxBytes: Int, isCommon: @escaping @Sendable (_ password: String) -> Bool) {
        self.maxBytes = maxBytes
        self.isCommon = isCommon
    }

    /// Returns the first reason to refuse the password, or nil.
    ///
    /// - Parameter address: The address of the account; nil if it is unknown because the request is invalid anyway.
    public func weakness(of password: String, for address: EmailAddress?) -> Weakness? {
        if password.count < Self.minCharacters { return .tooShort }
        if password.utf8.count > maxBytes { return .tooLong }
        if Limits.isBlank(password) { return .blank }
        let folded = Limits.trimmed(password).lowercased()
        if let whole = address?.normalised[...],
            Self.isVariant(folded, of: whole) || Self.isVariant(folded, of: whole.prefix { $0 != "@" })
        {
            return .ownAddress
        }
        return isCommon(folded) || Self.isVariant(folded, of: "afterword") ? .common : nil
    }

    private static func isVariant(_ password: String, of word: Substring) -> Bool {
        password.hasPrefix(word) && !password.dropFirst(word.count).contains(where: \.isLetter)
    }

    /// A sentence that says what is wrong or what is expected.
    public func sentence(_ weakness: Weakness) -> String {
        switch weakness {
        case .tooShort: "At least \(Self.minCharacters) characters are needed."
        case .tooLong: "At most \(maxBytes) bytes are allowed."
        case .blank: "Spaces alone are not enough."
        case .ownAddress: "This is your own address or its beginning: choose something that others don't know."
        case .common: "This is one of the most common passwords: choose another."
        }
    }
}

extension ObjectReader {
    /// A required new password, with the same rules as `newPassword(_:for:by:)`.
    public func requiredNewPassword(_ name: String, for address: EmailAddress?, by rules: PasswordRules) -> String? {
        guard has(name) else { return requiredString(name) }
        return newPassword(name, for: address, by: rules)
    }

    /// A new password for the account with this address.
    public func newPassword(_ name: String, for address: EmailAddress?, by rules: PasswordRules) -> String? {
        guard let password = string(name) else { return nil }
        if let weakness = rules.weakness(of: password, for: address) {
            fault(at: name, code: weakness.rawValue, rules.sentence(weakness))
            return nil
        }
        return password
    }
}
