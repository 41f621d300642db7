import Foundation
import Postgres

/// Where a page of texts ended.
enum TextPosition: Equatable, Sendable {
    /// In a list that begins with the newest: after this submission.
    case time(ExactTime, UUID)
    /// In a shuffled list: in this group of so many (a power of two), after this place; nil at the group's beginning.
    case place(UInt128?, group: UInt64, bits: UInt8)

    var bytes: [UInt8] {
        switch self {
        case .time(let at, let id): [0] + Self.bytes(at.microseconds) + id.bytes
        case .place(let place, let group, let bits):
            [place == nil ? 1 : 2, bits] + Self.bytes(group) + (place.map(Self.bytes) ?? [])
        }
    }

    init?(bytes: ArraySlice<UInt8>) {
        let rest = Array(bytes.dropFirst())
        switch (bytes.first, rest.count) {
        case (0, 24):
            let micros = Int64(truncatingIfNeeded: UInt128(bigEndianBytes: Array(rest.prefix(8))))
            self = .time(
                ExactTime(microseconds: micros), UUID(number: UInt128(bigEndianBytes: Array(rest.dropFirst(8)))))
        case (1, 9), (2, 25):
            let group = UInt64(truncatingIfNeeded: UInt128(bigEndianBytes: Array(rest[1..<9])))
            let place = rest.count > 9 ? UInt128(bigEndianBytes: Array(rest.dropFirst(9))) : nil
            self = .place(place, group: group, bits: rest[0])
        default: return nil
        }
    }

    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian, Array.init)
    }
}
