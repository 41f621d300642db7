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

/// One column of a table: a stable name for programs, a title for people.
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

/// Keeps a spreadsheet from running a text, by one leading `'`, and takes that `'` away again.
///
/// A text of `'`s before such a character gets one more, so that removing one always gives back what was guarded.
public enum FormulaGuard {
    /// True for texts that match `^'*[=+\-@\t\r]`.
    public static func guards(_ text: String) -> Bool {
        guards(text.utf8)
    }

    static func guards(_ bytes: some Sequence<UInt8>) -> Bool {
        for byte in bytes where byte != UInt8(ascii: "'") {
            switch byte {
            case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), 0x09, 0x0D: return true
            default: return false
            }
        }
        return false
    }

    /// The text as it was before it was guarded; a `'` that no guard wrote stays.
    public static func removed(from text: String) -> String {
        guard text.utf8.first == UInt8(ascii: "'"), guards(text) else { return text }
        return String(text.utf8.dropFirst()) ?? text
    }
}
