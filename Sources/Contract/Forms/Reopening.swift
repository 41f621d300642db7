#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Until when a closed form takes answers again; without an end if it is nil.
public struct Reopening: Codable, Sendable, Equatable {
    public var closes: Date?

    public init(closes: Date? = nil) {
        self.closes = closes
    }
}
