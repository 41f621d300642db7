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

/// The leading `'` that prevents spreadsheets from running a text as a formula.
///
/// A text in which `'`s already precede the formula gets another one, so that removing one always restores the
/// original.
public enum FormulaGuard {
    /// Whether the text matches `^'*[=+\-@\t\r]`.
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

    /// Returns the text without its guard. A `'` that is not a guard is kept.
    public static func removed(from text: String) -> String {
        guard text.utf8.first == UInt8(ascii: "'"), guards(text) else { return text }
        return String(text.utf8.dropFirst()) ?? text
    }
}
