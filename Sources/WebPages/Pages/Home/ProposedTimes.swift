import Foundation

/// The times that the form for a new meeting begins with: today, an hour from the next quarter of an hour on.
struct ProposedTimes {
    private static let (quarter, length): (TimeInterval, TimeInterval) = (900, 3_600)

    /// The values of the fields.
    let start: String
    let end: String
    /// The start in seconds since 1970. Browsers in another time zone compute the fields from it.
    let seconds: String

    init(zone: String?, now: Date) {
        let startsAt = (now.timeIntervalSince1970 / Self.quarter).rounded(.up) * Self.quarter
        let localTime = LocalTime(zone)
        start = localTime.field(Date(timeIntervalSince1970: startsAt))
        end = localTime.field(Date(timeIntervalSince1970: startsAt + Self.length))
        seconds = String(Int(startsAt))
    }

    /// Whether the typed times are still the proposed ones.
    static func isUnchanged(_ start: String, _ end: String, proposal: String?, in localTime: LocalTime) -> Bool {
        guard let seconds = proposal.flatMap(TimeInterval.init), let startsAt = localTime.parse(start),
            let endsAt = localTime.parse(end)
        else { return false }
        return startsAt.timeIntervalSince1970 == seconds && endsAt.timeIntervalSince(startsAt) == length
    }
}
