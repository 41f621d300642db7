import Foundation
import StrictJSON

/// Requests for API tokens.
public enum APITokens {
    public static func body(_ scopes: [String], expires: Date = .now + 86_400, name: String = "A") -> String {
        let list = scopes.map { "\"\($0)\"" }.joined(separator: ", ")
        return "{\"name\": \"\(name)\", \"scopes\": [\(list)], \"expiresAt\": \"\(RFC3339.format(expires))\"}"
    }

    /// Creates an API token and returns its secret.
    public static func make(_ client: HTTPTestClient, _ scopes: [String] = ["meetings:read"]) async throws -> String {
        try await client.post("/v1/tokens", json: body(scopes)).expect(201).string("token")
    }
}
