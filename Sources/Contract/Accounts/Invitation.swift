#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A code that lets somebody sign up.
public struct InvitationRequest: Codable, Sendable, Equatable {
    /// The only address that may use it; the code is mailed there.
    public var email: String?
    /// For the admins' own list.
    public var note: String?
    /// Fourteen days from now if nil.
    public var expiresAt: Date?
    /// A series on which the new account works from the beginning.
    public var seriesId: ResourceID?
    /// As what: `editor` or `viewer`; goes with `seriesId`.
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
    /// Shown once, when it is made.
    public var code: String?
    /// Where an account is made with the code; shown with it.
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
