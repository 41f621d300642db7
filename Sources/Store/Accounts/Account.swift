import Foundation

/// A person who signs in.
public struct Account: Sendable, Equatable {
    public enum Role: String, Sendable, CaseIterable {
        case host
        case admin
    }

    public var id: UUID
    public var email: String
    public var name: String
    public var role: Role
    public var disabledAt: Date?
    public var createdAt: Date
}
