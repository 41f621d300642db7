import Contract
import Foundation
import StrictJSON

/// When a form opens or closes, as typed: by hand, at a given time, or at an offset from the meeting's start or end.
struct MomentField: Equatable {
    /// The modes in the order in which the page offers them.
    static let modes = ["none", "at", "before-start", "after-start", "before-end", "after-end"]
    /// The units of an offset, the longest first.
    static let units: [(name: String, minutes: Int)] = [("days", 1440), ("hours", 60), ("minutes", 1)]

    var mode = "none"
    /// The date and time, in the meeting's time zone.
    var at = ""
    /// The offset, as a number of `unit`.
    var amount = ""
    var unit = "hours"
    var isOffset: Bool { mode != "none" && mode != "at" }

    init() {}

    init(_ fields: FormFields, _ name: String) {
        mode = fields["\(name).mode"] ?? mode
        at = fields["\(name).at"] ?? ""
        amount = fields["\(name).amount"] ?? ""
        unit = fields["\(name).unit"] ?? unit
    }

    init(_ moment: MomentBody?, zone: TimeZone) {
        switch moment {
        case nil: break
        case .instant(let date): (mode, at) = ("at", LocalTime(zone: zone).field(date))
        case .offset(let anchor, let minutes):
            mode = (minutes < 0 ? "before-" : "after-") + anchor
            // The largest unit of which the offset is a multiple; for an offset of 0, hours.
            let unit = Self.units.first { minutes != 0 && minutes % $0.minutes == 0 } ?? Self.units[1]
            (amount, self.unit) = (String((minutes / unit.minutes).magnitude), unit.name)
        }
    }

    /// The value for the API. Text that can't be parsed is sent unchanged, so that the API reports the fault.
    func json(zone: TimeZone) -> JSONValue {
        switch mode {
        case "none": return .null
        case "at":
            return LocalTime(zone: zone).json(at)
        default:
            let anchor = mode.split(separator: "-").last.map(String.init) ?? mode
            return .object([.init("from", .string(anchor)), .init("minutes", minutes)])
        }
    }

    private var minutes: JSONValue {
        let text = amount.trimmingCharacters(in: .whitespaces)
        guard let number = Int(text), let unit = Self.units.first(where: { $0.name == unit }) else {
            return .string(text)
        }
        let sign = mode.hasPrefix("before-") ? -1 : 1
        let (minutes, isTooLarge) = number.multipliedReportingOverflow(by: sign * unit.minutes)
        return JSONValue(isTooLarge ? Int.max : minutes)
    }

    /// The instant for a meeting with these times; nil if the instant is not known.
    func resolved(start: Date?, end: Date?, zone: TimeZone) -> Date? {
        if mode == "at" { return LocalTime(zone: zone).parse(at) }
        guard isOffset, let minutes = minutes.int else { return nil }
        return (mode.hasSuffix("start") ? start : end)?.addingTimeInterval(Double(minutes) * 60)
    }
}
