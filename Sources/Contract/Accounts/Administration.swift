import StrictJSON

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An account as admins see it.
public struct AdminAccount: Codable, Sendable, Equatable, Identifiable {
    public var id: ResourceID
    public var email: String
    public var name: String
    /// `host` or `admin`.
    public var role: String
    public var createdAt: Date
    @ExplicitNull public var disabledAt: Date?
    @ExplicitNull public var deletedAt: Date?

    public init(
        id: ResourceID, email: String, name: String, role: String, createdAt: Date, disabledAt: Date? = nil,
        deletedAt: Date? = nil
    ) {
        self.id = id
        self.email = email
        self.name = name
        self.role = role
        self.createdAt = createdAt
        self.disabledAt = disabledAt
        self.deletedAt = deletedAt
    }
}

/// What an admin changes of an account; what is nil stays.
public struct AdminAccountEdit: Codable, Sendable, Equatable {
    public var role: String?
    public var disabled: Bool?

    public init(role: String? = nil, disabled: Bool? = nil) {
        self.role = role
        self.disabled = disabled
    }
}

/// The meeting, series or account that an act was done to or in, as it is called now.
public struct AuditSubject: Codable, Sendable, Equatable, Identifiable {
    /// `meeting`, `series` or `account`.
    public var kind: String
    public var id: ResourceID
    public var name: String
    /// Of a meeting.
    @ExplicitNull public var round: Int?
    @ExplicitNull public var deletedAt: Date?

    public init(kind: String, id: ResourceID, name: String, round: Int? = nil, deletedAt: Date? = nil) {
        self.kind = kind
        self.id = id
        self.name = name
        self.round = round
        self.deletedAt = deletedAt
    }
}

/// One act of a host or an admin.
public struct AuditEntry: Codable, Sendable, Equatable, Identifiable {
    public var id: ResourceID
    public var at: Date
    public var accountId: ResourceID
    /// Such as `meeting.create`.
    public var act: String
    public var subjectId: ResourceID
    /// What changed beyond the act's name.
    @ExplicitNull public var detail: JSONValue?
    /// Nil once it is gone for good, and for what belongs to no meeting or series.
    @ExplicitNull public var about: AuditSubject?

    public init(
        id: ResourceID, at: Date, accountId: ResourceID, act: String, subjectId: ResourceID,
        detail: JSONValue? = nil, about: AuditSubject? = nil
    ) {
        self.id = id
        self.at = at
        self.accountId = accountId
        self.act = act
        self.subjectId = subjectId
        self.detail = detail
        self.about = about
    }
}

/// Whom to erase everywhere, by address.
public struct ErasureRequest: Codable, Sendable, Equatable {
    public var email: String
    /// To whom their series go, by address; without one they go to the trash.
    public var heir: String?

    public init(email: String, heir: String? = nil) {
        self.email = email
        self.heir = heir
    }
}

public struct Erasure: Codable, Sendable, Equatable, Identifiable {
    public var id: ResourceID
    /// How many `accounts`, `attendees`, `members`, `submissions` and others went.
    public var erased: [String: Int]

    public init(id: ResourceID, erased: [String: Int]) {
        self.id = id
        self.erased = erased
    }
}
