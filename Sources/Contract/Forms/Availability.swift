#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Whether a time is free.
public struct Availability: Codable, Sendable, Equatable {
    public var available: Bool
    public var conflicts: [MeetingConflict]

    public init(available: Bool, conflicts: [MeetingConflict]) {
        self.available = available
        self.conflicts = conflicts
    }
}

/// A meeting that takes the time of another; of one that the caller may not see, the times only.
public struct MeetingConflict: Codable, Sendable, Equatable {
    @ExplicitNull public var id: ResourceID?
    @ExplicitNull public var title: String?
    public var startsAt: Date
    public var endsAt: Date
    @ExplicitNull public var seriesId: ResourceID?

    public init(
        id: ResourceID? = nil, title: String? = nil, startsAt: Date, endsAt: Date, seriesId: ResourceID? = nil
    ) {
        self.id = id
        self.title = title
        self.startsAt = startsAt
        self.endsAt = endsAt
        self.seriesId = seriesId
    }
}
