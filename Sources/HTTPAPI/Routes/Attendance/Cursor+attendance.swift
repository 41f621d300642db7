import Cryptography
import Foundation
import Store

extension Cursor {
    static func after(_ attendee: Attendee) -> String {
        // Encoded, because a name may contain the separator of the cursor's fields.
        encode("a:\(Base64URL.encode(Array(attendee.sortKey.utf8))):\(attendee.id.uuidString)")
    }

    static func attendee(_ text: String) -> Attendees.Position? {
        guard let parts = decode(text, "a", 3), let id = UUID(uuidString: parts[2]),
            let bytes = Base64URL.decode(parts[1]), let key = String(validating: bytes, as: UTF8.self),
            !key.contains("\0")
        else { return nil }
        return Attendees.Position(sortKey: key, id: id)
    }
}
