import StrictJSON

/// A request to add a co-host, who is identified by the address of their account.
public struct CoHostDraft: Sendable, Equatable {
    public enum Role: String, Sendable, CaseIterable {
        case editor
        case viewer
    }

    public var email: EmailAddress
    public var role: Role

    /// Parses the body of `POST …/hosts`. Throws a `Problem` with all errors.
    public static func read(_ body: JSONValue) throws(Problem) -> CoHostDraft {
        let reader = ObjectReader(body)
        let (email, role) = (reader.requiredEmailAddress(), reader.required(Role.self, "role"))
        let faults = reader.finish()
        guard let email, let role, faults.isEmpty else { throw Problem(faults) }
        return CoHostDraft(email: email, role: role)
    }

    /// Parses the body of `DELETE …/hosts`.
    public static func readAddress(_ body: JSONValue) throws(Problem) -> EmailAddress {
        let reader = ObjectReader(body)
        return try reader.requireNoFaults(reading: reader.requiredEmailAddress())
    }
}

/// A request to transfer a series to a new owner.
public struct SeriesTransfer: Sendable, Equatable {
    public var email: EmailAddress
    /// Whether the rounds may overlap the new owner's meetings.
    public var allowOverlap: Bool

    /// Parses the body of `POST …/transfer`. Throws a `Problem` with all errors.
    public static func read(_ body: JSONValue) throws(Problem) -> SeriesTransfer {
        let reader = ObjectReader(body)
        let (email, allowOverlap) = (reader.requiredEmailAddress(), reader.bool("allowOverlap") ?? false)
        return SeriesTransfer(email: try reader.requireNoFaults(reading: email), allowOverlap: allowOverlap)
    }
}
