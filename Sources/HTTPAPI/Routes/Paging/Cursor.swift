import Cryptography
import Foundation
import Store
import StrictJSON

/// The position after a page, opaque to clients. A cursor is not a secret and grants no access.
enum Cursor {
    static func after(_ meeting: Meeting) -> String {
        encode("m:\(meeting.startsAt.map(micros) ?? ""):\(meeting.id.uuidString)")
    }

    static func meeting(_ text: String) -> MeetingQuery.Position? {
        guard let parts = decode(text, "m", 3), let id = UUID(uuidString: parts[2]) else { return nil }
        if parts[1].isEmpty { return MeetingQuery.Position(startsAt: nil, id: id) }
        guard let startsAt = date(parts[1]) else { return nil }
        return MeetingQuery.Position(startsAt: startsAt, id: id)
    }

    static func micros(_ date: Date) -> String { String(Int64((date.timeIntervalSince1970 * 1_000_000).rounded())) }

    /// Limited to the years 0000 to 9999, because PostgreSQL rejects dates far beyond them.
    static func date(_ text: String) -> Date? {
        guard let micros = Int64(text), -62_167_219_200_000_000..<253_402_300_800_000_000 ~= micros else { return nil }
        return Date(timeIntervalSince1970: Double(micros) / 1_000_000)
    }

    static func encode(_ text: String) -> String { Base64URL.encode(Array(text.utf8)) }

    /// The longest accepted cursor: twice as long as one with the longest address, which is encoded twice.
    private static let maxLength = 1000

    static func decode(_ text: String, _ kind: String, _ count: Int) -> [String]? {
        guard text.utf8.count <= maxLength, let bytes = Base64URL.decode(text),
            let plain = String(validating: bytes, as: UTF8.self), !plain.contains("\0")
        else { return nil }
        let parts = plain.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        return parts.count == count && parts[0] == kind ? parts : nil
    }
}

extension Fault {
    /// The error for a cursor that is not from a page of the same list.
    static let invalidCursor = Fault(
        .invalid, at: "?cursor", code: "invalid-cursor", "The cursor is not valid for this list.")
}

extension QueryReader {
    /// A cursor from an earlier page of the same list.
    mutating func cursor<Position>(_ name: String, _ read: (String) -> Position?) -> Position? {
        guard let text = string(name) else { return nil }
        guard let position = read(text) else {
            refuse(name, Fault.invalidCursor.code, Fault.invalidCursor.detail)
            return nil
        }
        return position
    }
}

extension Cursor {
    /// The position after this id, in a list ordered by id. Lists of another kind reject it.
    static func after(_ id: UUID, of kind: String) -> String { encode("i:\(kind):\(id.uuidString)") }

    static func id(of kind: String) -> (String) -> UUID? {
        { text in
            guard let parts = decode(text, "i", 3), parts[1] == kind else { return nil }
            return UUID(uuidString: parts[2])
        }
    }

    static func after(_ profile: Profile) -> String {
        encode("p:\(profile.account.id.uuidString):\(Base64URL.encode(Array(profile.account.email.utf8)))")
    }

    static func account(_ text: String) -> AccountQuery.Position? {
        guard let parts = decode(text, "p", 3), let id = UUID(uuidString: parts[1]),
            let bytes = Base64URL.decode(parts[2]), let email = String(validating: bytes, as: UTF8.self),
            !email.contains("\0")
        else { return nil }
        return AccountQuery.Position(email: email, id: id)
    }

    static func after(_ entry: AuditEntry) -> String { after(entry.at, entry.id, of: "a") }

    static func audit(_ text: String) -> AuditQuery.Position? {
        instant(text, of: "a").map { AuditQuery.Position(at: $0.at, id: $0.id) }
    }

    /// The position after this instant and id.
    static func after(_ instant: Date, _ id: UUID, of kind: String) -> String {
        encode("\(kind):\(Int64((instant.timeIntervalSince1970 * 1_000_000).rounded())):\(id.uuidString)")
    }

    static func instant(_ text: String, of kind: String) -> (at: Date, id: UUID)? {
        guard let parts = decode(text, kind, 3), let micros = Int64(parts[1]), let id = UUID(uuidString: parts[2]),
            0..<253_402_300_800_000_000 ~= micros
        else { return nil }
        return (Date(timeIntervalSince1970: Double(micros) / 1_000_000), id)
    }
}
