import Cryptography
import Domain
import Foundation

/// Deterministic ids, by which a second run with the same map and file finds the first one's series and meetings.
///
/// A series' id is derived from its host, the column's name and the value; a meeting's from its series instead of the
/// host. Without a column, the title in the map replaces the value.
enum ImportIdentity {
    static func series(host: UUID, by: String?, value: String) -> UUID {
        id(of: host, "series", by, value)
    }

    static func meeting(series: UUID, by: String?, value: String) -> UUID {
        id(of: series, "meeting", by, value)
    }

    private static func id(of parent: UUID, _ word: String, _ by: String?, _ value: String) -> UUID {
        var input = HashInput()
        withUnsafeBytes(of: parent.uuid) { input.append($0) }
        input.append(word)
        input.append(by)
        input.append(value)
        return UUIDv8.make(input.digest())
    }
}
