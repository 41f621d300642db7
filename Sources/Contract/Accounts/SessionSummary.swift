#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One of an account's sessions; its token is never shown again.
public struct SessionSummary: Codable, Sendable, Equatable, Identifiable {
    public var id: ResourceID
    public var createdAt: Date
    public var expiresAt: Date
    /// Whether it is the one that asks.
    public var current: Bool

    public init(id: ResourceID, createdAt: Date, expiresAt: Date, current: Bool) {
        self.id = id
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.current = current
    }
}
