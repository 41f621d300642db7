import Foundation
import StrictJSON

/// A request for an API token.
public struct TokenDraft: Sendable, Equatable {
    public var name: String
    /// Without duplicates, in the order of the `known` scopes of `read(_:known:)`.
    public var scopes: [String]
    public var expiresAt: Date

    /// Parses the body of `POST /v1/tokens`. Throws a `Problem` with all errors.
    ///
    /// - Parameter known: All scopes.
    public static func read(_ body: JSONValue, known: [String]) throws(Problem) -> TokenDraft {
        let reader = ObjectReader(body)
        let name = reader.requiredText("name", atMost: 100)
        let scopes = reader.requiredWords("scopes", of: known, ifEmpty: "A token needs at least one scope.")
        let expiresAt = reader.requiredDate("expiresAt")
        let faults = reader.finish()
        guard faults.isEmpty, let name, let scopes, let expiresAt else { throw Problem(faults) }
        return TokenDraft(name: name, scopes: scopes, expiresAt: expiresAt)
    }

    /// Returns the errors that depend on the current time and on the creator's own scopes. A token is valid for at most
    /// five years, and never has a scope that its creator lacks.
    public func faults(now: Date, allowed: Set<String>) -> [Fault] {
        let faults = scopes.filter { !allowed.contains($0) }.map {
            Fault(.invalid, at: "/scopes", code: "scope-not-yours", "Your own credentials lack the scope \($0).")
        }
        let expiry = Fault.ofExpiry(
            expiresAt, now: now, maxDays: 5 * 366, past: "The token would have expired already.",
            late: "A token is valid for at most five years.")
        return faults + (expiry.map { [$0] } ?? [])
    }
}
