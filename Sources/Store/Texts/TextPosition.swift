import Foundation
import Postgres

/// The position after which a list of texts continues, in one of its two orders.
enum TextPosition: Equatable, Sendable {
    /// A position in a list of the newest texts: after the submission with this time and id.
    case time(ExactTime, UUID)
    /// A position in a shuffled list, whose texts are divided into 2^`bits` groups.
    ///
    /// `bits` is the number of leading bits of a submission's id that determine its group, and `group` is their value.
    /// The list continues after the answer at the position in the first value, or at the beginning of the group if that
    /// is nil. `since` is the revision of the results at which the reader started the list.
    case shuffled(UInt128?, group: UInt64, bits: UInt8, since: Int)

    /// The position as it is encoded in a cursor. All integers are big-endian.
    ///
    /// | bytes | `time` |
    /// | --- | --- |
    /// | 1 | 0 |
    /// | 8 | microseconds |
    /// | 16 | id of the submission |
    ///
    /// | bytes | `shuffled` |
    /// | --- | --- |
    /// | 1 | 1 without a position (at the beginning of the group), 2 with one |
    /// | 1 | `bits` |
    /// | 8 | `group` |
    /// | 8 | `since` |
    /// | 16 | position, only after a 2 |
    var bytes: [UInt8] {
        switch self {
        case .time(let at, let id): [0] + Self.bytes(at.microseconds) + id.bytes
        case .shuffled(let position, let group, let bits, let since):
            [position == nil ? 1 : 2, bits] + Self.bytes(group) + Self.bytes(Int64(since))
                + (position.map(Self.bytes) ?? [])
        }
    }

    /// Decodes a position from `bytes`; returns nil for another layout.
    init?(bytes: ArraySlice<UInt8>) {
        let payload = Array(bytes.dropFirst())
        switch (bytes.first, payload.count) {
        case (0, 24):
            let micros = Int64(truncatingIfNeeded: UInt128(bigEndianBytes: Array(payload.prefix(8))))
            self = .time(
                ExactTime(microseconds: micros), UUID(number: UInt128(bigEndianBytes: Array(payload.dropFirst(8)))))
        case (1, 17), (2, 33):
            let group = UInt64(truncatingIfNeeded: UInt128(bigEndianBytes: Array(payload[1..<9])))
            let since = Int(truncatingIfNeeded: UInt128(bigEndianBytes: Array(payload[9..<17])))
            let position = payload.count > 17 ? UInt128(bigEndianBytes: Array(payload.dropFirst(17))) : nil
            self = .shuffled(position, group: group, bits: payload[0], since: since)
        default: return nil
        }
    }

    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian, Array.init)
    }
}
