import Domain

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One value of a row; its own case, not its column, decides how it is written.
public enum Cell: Sendable, Equatable {
    case empty
    case text(String)
    case integer(Int)
    /// A value that is not finite is written as empty.
    case real(Double)
    case instant(Date)
    /// A calendar day, `2026-11-21`, already in its own time zone.
    case day(String)
    /// Written as 1 or 0 in every format.
    case flag(Bool)

    static func text(_ value: String?) -> Cell { value.map { .text($0) } ?? .empty }
    static func integer(_ value: Int?) -> Cell { value.map { .integer($0) } ?? .empty }
    static func real(_ value: Double?) -> Cell { value.map { .real($0) } ?? .empty }
    static func instant(_ value: Date?) -> Cell { value.map { .instant($0) } ?? .empty }
    static func day(_ value: String?) -> Cell { value.map { .day($0) } ?? .empty }
    static func uuid(_ value: UUID) -> Cell { .text(value.lowercased) }
}
