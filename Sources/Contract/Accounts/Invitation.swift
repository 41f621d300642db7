import Foundation

/// A request for a code with which a person can sign up.
public struct InvitationRequest: Codable, Sendable, Equatable {
    /// The only address that may use the code. The code is mailed to it.
    public var email: String?
    /// Shown in the admins' list only.
    public var note: String?
    /// 14 days ahead if nil.
    public var expiresAt: Date?
    /// A series that the new account becomes a co-host of.
    public var seriesId: ResourceID?
    /// The role in the series, `editor` or `viewer`. Requires `seriesId`.
    public var role: String?

    public init(
        email: String? = nil, note: String? = nil, expiresAt: Date? = nil, seriesId: ResourceID? = nil,
        role: String? = nil
    ) {
        self.email = email
        self.note = note
        self.expiresAt = expiresAt
        self.seriesId = seriesId
        self.role = role
    }
}

public struct Invitation: Codable, Sendable, Equatable, Identifiable {
    public var id: ResourceID
    @ExplicitNull public var email: String?
    @ExplicitNull public var note: String?
    @ExplicitNull public var seriesId: ResourceID?
    @ExplicitNull public var role: String?
    /// `open`, `spent` or `expired`.
    public var state: String
    public var createdBy: ResourceID
    public var createdAt: Date
    public var expiresAt: Date
    @ExplicitNull public var spentAt: Date?
    @ExplicitNull public var spentBy: ResourceID?
    /// Only in the response that creates the invitation.
    public var code: String?
    /// The sign-up page with the code. Only present together with `code`.
    public var url: String?

    public init(
        id: ResourceID, email: String? = nil, note: String? = nil, seriesId: ResourceID? = nil, role: String? = nil,
        state: String, createdBy: ResourceID, createdAt: Date, expiresAt: Date, spentAt: Date? = nil,
        spentBy: ResourceID? = nil, code: String? = nil, url: String? = nil
    ) {
        self.id = id
        self.email = email
        self.note = note
        self.seriesId = seriesId
        self.role = role
        self.state = state
        self.createdBy = createdBy
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.spentAt = spentAt
        self.spentBy = spentBy
        self.code = code
        self.url = url
    }
}
