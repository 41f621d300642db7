import Cryptography
import Domain

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The ids that a second run of the same map and file finds again.
///
/// A series is told by its host, the column's name and the value there; a meeting by its series in place of the host.
/// Without such a column the title, as the map has it, stands for the value.
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
