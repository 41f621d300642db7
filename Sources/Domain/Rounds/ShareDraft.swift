import Foundation
import StrictJSON

/// An editor's request for a link to results.
public struct ShareDraft: Sendable, Equatable {
    /// Shown only in the hosts' list of shares.
    public var name: String?
    /// Nil means thirty days from now.
    public var expiresAt: Date?

    public init(name: String? = nil, expiresAt: Date? = nil) {
        self.name = name
        self.expiresAt = expiresAt
    }

    /// Parses the body of `POST …/shares`. Throws a `Problem` with all errors.
    public static func read(_ body: JSONValue) throws(Problem) -> ShareDraft {
        let reader = ObjectReader(body)
        let name = reader.has("name") ? reader.requiredText("name", atMost: 100) : nil
        let draft = ShareDraft(name: name, expiresAt: reader.date("expiresAt"))
        try reader.requireNoFaults()
        return draft
    }

    /// Returns the expiry of the share. Throws a `Problem` unless the expiry is within the next year.
    public func expiry(now: Date) throws(Problem) -> Date {
        let end = expiresAt ?? now.addingTimeInterval(30 * 86_400)
        let fault = Fault.ofExpiry(
            end, now: now, maxDays: 366, past: "The share would have expired already.",
            late: "A share is valid for at most a year.")
        if let fault { throw Problem([fault]) }
        return end
    }
}
