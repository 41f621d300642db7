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
        if parts[1].isEmpty { return (startsAt: nil, id: id) }
        guard let startsAt = date(parts[1]) else { return nil }
        return (startsAt: startsAt, id: id)
    }

    static func micros(_ date: Date) -> String { String(Int64((date.timeIntervalSince1970 * 1_000_000).rounded())) }

    /// Limited to the years 0000 to 9999, because PostgreSQL rejects dates far beyond them.
    static func date(_ text: String) -> Date? {
        guard let micros = Int64(text), -62_167_219_200_000_000..<253_402_300_800_000_000 ~= micros else { return nil }
        return Date(timeIntervalSince1970: Double(micros) / 1_000_000)
    }

    static func encode(_ text: String) -> String { Base64URL.encode(Array(text.utf8)) }

    /// The largest accepted length: twice the length of a cursor with the longest address, which is encoded twice.
    private static let maxLength = 1000

    static func decode(_ text: String, _ kind: String, _ count: Int) -> [String]? {
        guard text.utf8.count <= maxLength, let plain = decodeField(text) else { return nil }
        let parts = plain.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        return parts.count == count && parts[0] == kind ? parts : nil
    }

    /// Decodes a field that may contain the separator. The cursor's length has been checked.
    static func decodeField(_ text: String) -> String? {
        guard let bytes = Base64URL.decode(text), let plain = String(validating: bytes, as: UTF8.self) else {
            return nil
        }
        return plain.contains("\0") ? nil : plain
    }
}

extension Fault {
    /// The error for a cursor that is not from a page of the same list.
    static let invalidCursor = Fault(
        .invalid, at: "?cursor", code: "invalid-cursor", "The cursor is not valid for this list.")
}

extension QueryReader {
    /// The number of items of a page.
    mutating func limit() -> Int { int("limit", in: 1...200) ?? 50 }

    /// A cursor from an earlier page of the same list.
    mutating func cursor<Position>(_ read: (String) -> Position?) -> Position? {
        guard let text = string("cursor") else { return nil }
        guard let position = read(text) else {
            refuse("cursor", Fault.invalidCursor.code, Fault.invalidCursor.detail)
            return nil
        }
        return position
    }
}

extension APIRequest {
    /// Reads the query of a list without other parameters than `limit` and `cursor`.
    func page<Position>(after read: (String) -> Position?) throws -> (limit: Int, after: Position?) {
        try query { ($0.limit(), $0.cursor(read)) }
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
        encode("p:\(profile.account.id.uuidString):\(encode(profile.account.email))")
    }

    static func account(_ text: String) -> AccountQuery.Position? {
        guard let parts = decode(text, "p", 3), let id = UUID(uuidString: parts[1]), let email = decodeField(parts[2])
        else {
            return nil
        }
        return (email: email, id: id)
    }

    static func after(_ entry: AuditEntry) -> String { encode("a:\(micros(entry.at)):\(entry.id.uuidString)") }

    static func audit(_ text: String) -> AuditQuery.Position? {
        guard let parts = decode(text, "a", 3), let micros = Int64(parts[1]), let id = UUID(uuidString: parts[2]),
            0..<253_402_300_800_000_000 ~= micros
        else { return nil }
        return (Date(timeIntervalSince1970: Double(micros) / 1_000_000), id)
    }
}
