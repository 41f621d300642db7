import Foundation
import StrictJSON

/// A request for a join code. Without a capacity, any number of people can join with it. Without an expiry, it does not
/// expire.
public struct JoinCodeDraft: Sendable, Equatable {
    public var capacity: Int?
    public var expiresAt: Date?

    public init(capacity: Int? = nil, expiresAt: Date? = nil) {
        self.capacity = capacity
        self.expiresAt = expiresAt
    }

    /// Parses the body of `POST …/join-codes`. Throws a `Problem` with all errors.
    public static func read(_ body: JSONValue) throws(Problem) -> JoinCodeDraft {
        let reader = ObjectReader(body)
        let draft = JoinCodeDraft(
            capacity: reader.int("capacity", in: 1...100_000), expiresAt: reader.date("expiresAt"))
        try reader.requireNoFaults()
        return draft
    }
}
