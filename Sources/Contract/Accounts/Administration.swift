import Foundation
import StrictJSON

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

/// An admin's changes to an account. Nil leaves a field unchanged.
public struct AdminAccountEdit: Codable, Sendable, Equatable {
    public var role: String?
    public var disabled: Bool?

    public init(role: String? = nil, disabled: Bool? = nil) {
        self.role = role
        self.disabled = disabled
    }
}

/// The meeting, series, account or invitation that an action concerned, under its current name.
public struct AuditSubject: Codable, Sendable, Equatable, Identifiable {
    /// `meeting`, `series`, `account` or `invitation`.
    public var kind: String
    public var id: ResourceID
    /// The title or name. An invitation is named by its address, or else by its note.
    public var name: String
    /// Meetings only.
    @ExplicitNull public var round: Int?
    @ExplicitNull public var deletedAt: Date?
    /// The person of the meeting's list whom the action concerned.
    @ExplicitNull public var person: String?

    public init(
        kind: String, id: ResourceID, name: String, round: Int? = nil, deletedAt: Date? = nil, person: String? = nil
    ) {
        self.person = person
        self.kind = kind
        self.id = id
        self.name = name
        self.round = round
        self.deletedAt = deletedAt
    }
}

/// One action of a host or an admin.
public struct AuditEntry: Codable, Sendable, Equatable, Identifiable {
    public var id: ResourceID
    public var at: Date
    public var accountId: ResourceID
    /// The action, such as `meeting.create`.
    public var act: String
    public var subjectId: ResourceID
    /// Details of the change, if the action has any.
    @ExplicitNull public var detail: JSONValue?
    /// The subject as it is now. Nil if it was deleted permanently, or is neither an account nor part of a meeting or
    /// series.
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

/// A request to delete all data of the person with this address.
public struct ErasureRequest: Codable, Sendable, Equatable {
    public var email: String
    /// The address of the account that receives the person's series. If nil, the series move to the trash.
    public var heir: String?

    public init(email: String, heir: String? = nil) {
        self.email = email
        self.heir = heir
    }
}

public struct Erasure: Codable, Sendable, Equatable, Identifiable {
    public var id: ResourceID
    /// The number of rows that were deleted or cleared, by kind: `accounts`, `attendees`, `members`, `submissions` and
    /// so on.
    public var erased: [String: Int]

    public init(id: ResourceID, erased: [String: Int]) {
        self.id = id
        self.erased = erased
    }
}
