import StrictJSON

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What an editor says of a new join code; without a capacity it takes any number, without an end it lasts.
public struct JoinCodeDraft: Sendable, Equatable {
    public var capacity: Int?
    public var expiresAt: Date?

    public init(capacity: Int? = nil, expiresAt: Date? = nil) {
        self.capacity = capacity
        self.expiresAt = expiresAt
    }

    /// Reads the body of `POST …/join-codes`; throws a `Problem` with all its faults.
    public static func read(_ body: JSONValue) throws(Problem) -> JoinCodeDraft {
        let reader = ObjectReader(body)
        let draft = JoinCodeDraft(
            capacity: reader.int("capacity", in: 1...100_000), expiresAt: reader.date("expiresAt"))
        let faults = reader.finish()
        guard faults.isEmpty else { throw Problem(faults) }
        return draft
    }
}
