import Foundation

/// Whether a time slot is free.
public struct Availability: Codable, Sendable, Equatable {
    public var available: Bool
    public var conflicts: [MeetingConflict]

    public init(available: Bool, conflicts: [MeetingConflict]) {
        self.available = available
        self.conflicts = conflicts
    }
}

/// A meeting that overlaps the time slot. If the caller may not see the meeting, only its times are present.
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
