import Foundation
import Store

extension Cursor {
    static func after(_ attendee: Attendee) -> String {
        // Encoded, because a name may contain the separator of the cursor's fields.
        encode("a:\(encode(attendee.sortKey)):\(attendee.id.uuidString)")
    }

    static func attendee(_ text: String) -> Attendees.Position? {
        guard let parts = decode(text, "a", 3), let id = UUID(uuidString: parts[2]), let key = decodeField(parts[1])
        else {
            return nil
        }
        return (sortKey: key, id: id)
    }
}
