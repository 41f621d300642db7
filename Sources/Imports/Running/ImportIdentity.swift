import Cryptography
import Domain
import Foundation

/// Deterministic ids, so that a second run with the same map and file finds the series and meetings of the first run.
///
/// The id of a series is derived from its host, the column `by` and the value in that column. The id of a meeting is
/// derived in the same way, but from its series instead of the host. Without `by`, the title in the map replaces the
/// value.
enum ImportIdentity {
    static func series(host: UUID, by: String?, value: String) -> UUID {
        id(of: host, "series", by, value)
    }

    static func meeting(series: UUID, by: String?, value: String) -> UUID {
        id(of: series, "meeting", by, value)
    }

    private static func id(of parent: UUID, _ kind: String, _ by: String?, _ value: String) -> UUID {
        var input = HashInput()
        withUnsafeBytes(of: parent.uuid) { input.append($0) }
        input.append(kind)
        input.append(by)
        input.append(value)
        return UUIDv8.make(input.digest())
    }
}
