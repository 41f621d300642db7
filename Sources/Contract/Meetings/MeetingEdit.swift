#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What changes of a meeting; what is nil stays.
public struct MeetingEdit: Codable, Sendable, Equatable {
    public var title: String?
    public var startsAt: Edit<Date>
    public var endsAt: Edit<Date>
    public var timeZone: String?
    public var place: Edit<String>
    public var headcount: Edit<Int>
    public var lateAfterMinutes: Int?
    public var allowOverlap: Bool?

    public init(
        title: String? = nil, startsAt: Edit<Date> = .unchanged, endsAt: Edit<Date> = .unchanged,
        timeZone: String? = nil, place: Edit<String> = .unchanged, headcount: Edit<Int> = .unchanged,
        lateAfterMinutes: Int? = nil, allowOverlap: Bool? = nil
    ) {
        self.title = title
        self.startsAt = startsAt
        self.endsAt = endsAt
        self.timeZone = timeZone
        self.place = place
        self.headcount = headcount
        self.lateAfterMinutes = lateAfterMinutes
        self.allowOverlap = allowOverlap
    }
}
