import Foundation

/// A request for an API token.
public struct TokenRequest: Codable, Sendable, Equatable {
    public var name: String
    /// Any of `meetings:read`, `meetings:write`, `results:read`, `export:read` and `admin`.
    public var scopes: [String]
    /// At most five years ahead.
    public var expiresAt: Date

    public init(name: String, scopes: [String], expiresAt: Date) {
        self.name = name
        self.scopes = scopes
        self.expiresAt = expiresAt
    }
}

public struct APIToken: Codable, Sendable, Equatable, Identifiable {
    public var id: ResourceID
    public var name: String
    public var scopes: [String]
    public var createdAt: Date
    public var expiresAt: Date
    /// Only in the response that creates the token.
    @Confidential public var token: String?

    public init(
        id: ResourceID, name: String, scopes: [String], createdAt: Date, expiresAt: Date, token: String? = nil
    ) {
        self.id = id
        self.name = name
        self.scopes = scopes
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.token = token
    }
}
