import Foundation
import Store

extension Cursor {
    static func after(_ series: MeetingSeries, in order: SeriesQuery.Order) -> String {
        let position = series.position ?? SeriesQuery.Position(at: series.createdAt, id: series.id)
        let kind = order == .current ? "c:\(position.isCurrent ? 1 : 0)" : "s"
        return encode("\(kind):\(micros(position.at)):\(position.id.uuidString)")
    }

    /// A cursor of one order is invalid in another.
    static func series(_ text: String, in order: SeriesQuery.Order) -> SeriesQuery.Position? {
        let isRanked = order == .current
        guard let parts = decode(text, isRanked ? "c" : "s", isRanked ? 4 : 3), let at = date(parts[parts.count - 2]),
            let id = UUID(uuidString: parts[parts.count - 1]), !isRanked || ["0", "1"].contains(parts[1])
        else { return nil }
        return SeriesQuery.Position(isCurrent: isRanked && parts[1] == "1", at: at, id: id)
    }

    /// The position after a round, in a list of one series.
    static func afterRound(_ meeting: Meeting) -> String { encode("r:\(meeting.round)") }

    static func round(_ text: String) -> Int? {
        guard let parts = decode(text, "r", 2), let round = Int32(parts[1]), round > 0 else { return nil }
        return Int(round)
    }

    /// The position after an address, in lists ordered by address.
    static func after(address: String) -> String { encode("e:\(encode(address))") }

    static func address(_ text: String) -> String? { decode(text, "e", 2).flatMap { decodeField($0[1]) } }

    static func after(_ code: JoinCode) -> String { encode("j:\(code.id.uuidString)") }

    static func joinCode(_ text: String) -> UUID? {
        decode(text, "j", 2).flatMap { UUID(uuidString: $0[1]) }
    }
}
