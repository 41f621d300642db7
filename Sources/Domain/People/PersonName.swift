import StrictJSON

/// A person's name without surrounding spaces: 1 to 200 characters on one line.
///
/// Control characters are refused, because they could do harm in a mail's header or a terminal.
public struct PersonName: Sendable, Hashable, CustomStringConvertible {
    public static let limit = 200

    public let text: String

    /// Throws a fault at this pointer if the name is invalid.
    public init(_ input: String, at pointer: String) throws(Fault) {
        let text = Limits.trimmed(input)
        guard !text.isEmpty else {
            throw Fault(.invalid, at: pointer, code: "required", "This cannot be blank.")
        }
        guard !text.unicodeScalars.contains(where: Self.isControl) else {
            throw Fault(
                .invalid, at: pointer, code: "control-character", "A name cannot contain control characters.")
        }
        guard Limits.isStorable(text, Self.limit) else {
            throw Fault(.invalid, at: pointer, code: "too-long", "At most \(Self.limit) characters are allowed.")
        }
        self.text = text
    }

    public var description: String { text }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

extension ObjectReader {
    /// An optional name of a person.
    public func personName(_ name: String = "name") -> PersonName? {
        guard let text = string(name) else { return nil }
        do {
            return try PersonName(text, at: pointer(to: name))
        } catch {
            add([error])
            return nil
        }
    }

    /// A required name of a person.
    public func requiredPersonName(_ name: String = "name") -> PersonName? {
        require(name)
        return personName(name)
    }

    /// An optional e-mail address. An invalid one is reported as `invalid-email`.
    public func emailAddress(_ name: String = "email") -> EmailAddress? {
        guard let text = string(name) else { return nil }
        guard let address = EmailAddress(text) else {
            fault(at: name, code: "invalid-email", "An e-mail address is expected here.")
            return nil
        }
        return address
    }

    /// A required e-mail address.
    public func requiredEmailAddress(_ name: String = "email") -> EmailAddress? {
        require(name)
        return emailAddress(name)
    }
}
