import Domain
import Foundation

/// One value of a row. Its case, not its column, decides how it is written.
public enum Cell: Sendable, Equatable {
    case empty
    case text(String)
    case integer(Int)
    /// Written as empty if not finite.
    case real(Double)
    case instant(Date)
    /// A local calendar day, such as `2026-11-21`.
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

/// One column of a table, with a stable name for programs and a title for people.
public struct Column: Sendable, Equatable {
    public enum Kind: Sendable, Equatable {
        case text
        /// A UUID, for programs.
        case identifier
        case integer
        case real
        case instant
        case date
        case flag
    }

    public var name: String
    public var title: String
    public var kind: Kind

    public init(_ name: String, _ title: String, _ kind: Kind) {
        self.name = name
        self.title = title
        self.kind = kind
    }
}
