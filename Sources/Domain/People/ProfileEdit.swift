import StrictJSON

/// A person's change of their own account. Missing members leave fields unchanged.
public struct ProfileEdit: Sendable, Equatable {
    public var name: String?
    public var locale = Change<String>.unchanged
    /// An IANA name. The store checks that it exists.
    public var timeZone = Change<String>.unchanged
    public var removesPicture = false
    /// Whether the owner gets results by mail when a form closes.
    public var mailsAtClose: Bool?
    /// Whether the owner gets a mail about their meetings once a week.
    public var weeklyDigest: Bool?
    public var password: String?
    public var oldPassword: String?

    public init() {}

    /// Whether nothing changes except possibly the password.
    public var isEmpty: Bool {
        name == nil && locale == .unchanged && timeZone == .unchanged && !removesPicture && mailsAtClose == nil
            && weeklyDigest == nil
    }

    /// Parses the body of `PATCH /v1/me`. Throws a `Problem` with all errors.
    ///
    /// - Parameter address: The account's address.
    public static func read(
        _ body: JSONValue, of address: EmailAddress?, passwords: PasswordRules
    ) throws(Problem) -> ProfileEdit {
        let reader = ObjectReader(body)
        var edit = ProfileEdit()
        if reader.isNull("name") || reader.has("name") { edit.name = reader.requiredPersonName()?.text }
        edit.locale = reader.change("locale", reader.locale)
        edit.timeZone = reader.change("timeZone", reader.string)
        edit.removesPicture = reader.isNull("picture")
        if reader.has("picture") {
            reader.fault(at: "picture", code: "unknown-value", "Null removes it; PUT /v1/me/picture sets it.")
        }
        edit.mailsAtClose = reader.bool("mailsAtClose")
        edit.weeklyDigest = reader.bool("weeklyDigest")
        edit.password = reader.newPassword("password", for: address, by: passwords)
        edit.oldPassword = reader.has("password") ? reader.requiredString("oldPassword") : reader.string("oldPassword")
        try reader.requireNoFaults()
        return edit
    }
}

extension ObjectReader {
    /// A language tag (RFC 5646): subtags of one to eight letters or digits, the first of at least two letters and no
    /// digits.
    func locale(_ name: String) -> String? {
        guard let text = string(name) else { return nil }
        let tags = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        let fits = tags.allSatisfy { tag in (1...8).contains(tag.count) && tag.allSatisfy(Self.isAlphanumeric) }
        guard fits, text.utf8.count <= 35, let language = tags.first, language.count >= 2,
            language.allSatisfy({ Self.isAlphanumeric($0) && $0 > UInt8(ascii: "9") })
        else {
            fault(at: name, code: "invalid-locale", "A language tag such as de or pt-BR is expected here.")
            return nil
        }
        return text
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
