import Foundation
import StrictJSON

/// When a form opens or closes: at an instant, or a number of minutes from the meeting's start or end.
public enum Moment: Sendable, Equatable {
    public enum Anchor: String, Sendable, CaseIterable {
        case start, end
    }

    case instant(Date)
    case offset(from: Anchor, minutes: Int)

    /// Whether the moment is relative to the meeting's times.
    public var isOffset: Bool {
        if case .offset = self { true } else { false }
    }

    /// Returns the instant for a meeting, or nil for an offset from a time that the meeting does not have.
    public func resolved(start: Date?, end: Date?) -> Date? {
        switch self {
        case .instant(let date): date
        case .offset(.start, let minutes): start?.addingTimeInterval(Double(minutes) * 60)
        case .offset(.end, let minutes): end?.addingTimeInterval(Double(minutes) * 60)
        }
    }

    /// The moment as it is stored.
    public var json: JSONValue {
        switch self {
        case .instant(let date): .string(RFC3339.format(date))
        case .offset(let anchor, let minutes):
            .object([.init("from", .string(anchor.rawValue)), .init("minutes", JSONValue(minutes))])
        }
    }

    /// Reads an RFC 3339 time, which is truncated to whole seconds, or an object with `from` and `minutes`.
    static func read(_ name: String, of reader: ObjectReader) -> Moment? {
        switch reader.value(name) {
        case nil: return nil
        case .object:
            guard let offset = reader.object(name) else { return nil }
            let anchor = offset.required(Anchor.self, "from")
            let minutes = offset.requiredInt("minutes", in: Limits.offsetMinutes)
            guard let anchor, let minutes else { return nil }
            return .offset(from: anchor, minutes: minutes)
        case .string:
            return reader.second(name).map { .instant($0) }
        default:
            reader.fault(.malformed, at: name, code: "wrong-type", "A time or an offset is expected here.")
            return nil
        }
    }
}
