import Cryptography
import Foundation
import Store

extension Cursor {
    /// After the row of this id in a list that is ordered by ids; good for lists of that kind only.
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

    /// After the row of this instant and id.
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
