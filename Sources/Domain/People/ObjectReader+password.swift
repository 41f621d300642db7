import StrictJSON

/// The minimum length of a password.
public enum PasswordLength {
    public static let minCharacters = 10
}

extension ObjectReader {
    /// A required new password, with the same rules as `newPassword(_:atMostBytes:)`.
    public func requiredNewPassword(_ name: String, atMostBytes limit: Int) -> String? {
        guard has(name) else { return requiredString(name) }
        return newPassword(name, atMostBytes: limit)
    }

    /// A new password: at least 10 characters, and a limited number of bytes.
    public func newPassword(_ name: String, atMostBytes limit: Int) -> String? {
        guard let password = string(name) else { return nil }
        guard password.count >= PasswordLength.minCharacters else {
            fault(at: name, code: "too-short", "At least \(PasswordLength.minCharacters) characters are needed.")
            return nil
        }
        guard password.utf8.count <= limit else {
            fault(at: name, code: "too-long", "At most \(limit) bytes are allowed.")
            return nil
        }
        return password
    }
}
