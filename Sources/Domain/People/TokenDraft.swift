import Foundation
import StrictJSON

/// A request for an API token.
public struct TokenDraft: Sendable, Equatable {
    public var name: String
    /// Without duplicates, in the order in which `read` gets all scopes.
    public var scopes: [String]
    public var expiresAt: Date

    /// Parses the body of `POST /v1/tokens`; throws a `Problem` with all errors.
    ///
    /// - Parameter known: All scopes.
    public static func read(_ body: JSONValue, known: [String]) throws(Problem) -> TokenDraft {
        let reader = ObjectReader(body)
        let name = reader.requiredText("name", atMost: 100)
        let scopes = reader.requiredArray("scopes").map { reader.scopes($0, known) }
        let expiresAt = reader.requiredDate("expiresAt")
        let faults = reader.finish()
        guard faults.isEmpty, let name, let scopes, let expiresAt else { throw Problem(faults) }
        return TokenDraft(name: name, scopes: scopes, expiresAt: expiresAt)
    }

    /// Returns the errors that depend on the current time and on the creator's own scopes. A token is valid for at most
    /// five years, and never has a scope that its creator lacks.
    public func faults(now: Date, allowed: Set<String>) -> [Fault] {
        var faults = scopes.filter { !allowed.contains($0) }.map {
            Fault(.invalid, at: "/scopes", code: "scope-not-yours", "Your own credentials lack the scope \($0).")
        }
        if expiresAt <= now {
            faults.append(
                Fault(.invalid, at: "/expiresAt", code: "in-the-past", "The token would have expired already."))
        } else if expiresAt.timeIntervalSince(now) > 5 * 366 * 86_400 {
            faults.append(
                Fault(.invalid, at: "/expiresAt", code: "too-late", "A token is valid for at most five years."))
        }
        return faults
    }
}

extension ObjectReader {
    fileprivate func scopes(_ values: [JSONValue], _ known: [String]) -> [String] {
        if values.isEmpty { fault(at: "scopes", code: "required", "A token needs at least one scope.") }
        var found: Set<String> = []
        for (index, value) in values.enumerated() {
            let pointer = pointer(to: "scopes") + "/\(index)"
            if let scope = value.string {
                if known.contains(scope) {
                    found.insert(scope)
                } else {
                    add([
                        Fault(
                            .invalid, at: pointer, code: "unknown-value",
                            "This must be one of: \(known.joined(separator: ", ")).")
                    ])
                }
            } else {
                add([Fault(.malformed, at: pointer, code: "wrong-type", "A text is expected here.")])
            }
        }
        return known.filter(found.contains)
    }
}
