import Foundation
import Postgres

/// The position at which a page of texts ended.
enum TextPosition: Equatable, Sendable {
    /// In a list that begins with the newest: after this submission.
    case time(ExactTime, UUID)
    /// In a shuffled list: in this group out of a number of groups (a power of two), after this position; nil at the
    /// group's beginning. `since` is the revision of the results at which the list was begun.
    case place(UInt128?, group: UInt64, bits: UInt8, since: Int)

    var bytes: [UInt8] {
        switch self {
        case .time(let at, let id): [0] + Self.bytes(at.microseconds) + id.bytes
        case .place(let place, let group, let bits, let since):
            [place == nil ? 1 : 2, bits] + Self.bytes(group) + Self.bytes(Int64(since))
                + (place.map(Self.bytes) ?? [])
        }
    }

    init?(bytes: ArraySlice<UInt8>) {
        let rest = Array(bytes.dropFirst())
        switch (bytes.first, rest.count) {
        case (0, 24):
            let micros = Int64(truncatingIfNeeded: UInt128(bigEndianBytes: Array(rest.prefix(8))))
            self = .time(
                ExactTime(microseconds: micros), UUID(number: UInt128(bigEndianBytes: Array(rest.dropFirst(8)))))
        case (1, 17), (2, 33):
            let group = UInt64(truncatingIfNeeded: UInt128(bigEndianBytes: Array(rest[1..<9])))
            let since = Int(truncatingIfNeeded: UInt128(bigEndianBytes: Array(rest[9..<17])))
            let place = rest.count > 17 ? UInt128(bigEndianBytes: Array(rest.dropFirst(17))) : nil
            self = .place(place, group: group, bits: rest[0], since: since)
        default: return nil
        }
    }

    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian, Array.init)
    }
}
