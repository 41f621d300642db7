import Cryptography
import Foundation
import Store

extension Cursor {
    static func after(_ series: MeetingSeries) -> String {
        encode("s:\(micros(series.createdAt)):\(series.id.uuidString)")
    }

    static func series(_ text: String) -> SeriesQuery.Position? {
        guard let parts = decode(text, "s", 3), let at = date(parts[1]), let id = UUID(uuidString: parts[2]) else {
            return nil
        }
        return SeriesQuery.Position(createdAt: at, id: id)
    }

    /// After a round of one series.
    static func afterRound(_ meeting: Meeting) -> String { encode("r:\(meeting.round)") }

    static func round(_ text: String) -> Int? {
        guard let parts = decode(text, "r", 2), let round = Int32(parts[1]), round > 0 else { return nil }
        return Int(round)
    }
}

extension Cursor {
    /// After an address, in lists that are ordered by it.
    static func after(address: String) -> String { encode("e:\(Base64URL.encode(Array(address.utf8)))") }

    static func address(_ text: String) -> String? {
        guard let parts = decode(text, "e", 2), let bytes = Base64URL.decode(parts[1]),
            let address = String(validating: bytes, as: UTF8.self), !address.contains("\0")
        else { return nil }
        return address
    }

    static func after(_ code: JoinCode) -> String { encode("j:\(code.id.uuidString)") }

    static func joinCode(_ text: String) -> UUID? {
        decode(text, "j", 2).flatMap { UUID(uuidString: $0[1]) }
    }
}
