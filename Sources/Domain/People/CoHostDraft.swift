import StrictJSON

/// Who else works on a series, or takes it over, by the address of their account.
public struct CoHostDraft: Sendable, Equatable {
    public enum Role: String, Sendable, CaseIterable {
        case editor
        case viewer
    }

    public var email: EmailAddress
    public var role: Role

    /// Reads the body of `POST …/hosts`; throws a `Problem` with all its faults.
    public static func read(_ body: JSONValue) throws(Problem) -> CoHostDraft {
        let reader = ObjectReader(body)
        let (email, role) = (reader.requiredEmailAddress(), reader.required(Role.self, "role"))
        let faults = reader.finish()
        guard let email, let role, faults.isEmpty else { throw Problem(faults) }
        return CoHostDraft(email: email, role: role)
    }

    /// Reads the body of `DELETE …/hosts`.
    public static func readAddress(_ body: JSONValue) throws(Problem) -> EmailAddress {
        let reader = ObjectReader(body)
        let email = reader.requiredEmailAddress()
        let faults = reader.finish()
        guard let email, faults.isEmpty else { throw Problem(faults) }
        return email
    }
}

/// To whom a series goes.
public struct SeriesTransfer: Sendable, Equatable {
    public var email: EmailAddress
    /// Whether its rounds may meet the new owner's own meetings.
    public var allowOverlap: Bool

    /// Reads the body of `POST …/transfer`; throws a `Problem` with all its faults.
    public static func read(_ body: JSONValue) throws(Problem) -> SeriesTransfer {
        let reader = ObjectReader(body)
        let (email, allowOverlap) = (reader.requiredEmailAddress(), reader.bool("allowOverlap") ?? false)
        let faults = reader.finish()
        guard let email, faults.isEmpty else { throw Problem(faults) }
        return SeriesTransfer(email: email, allowOverlap: allowOverlap)
    }
}
