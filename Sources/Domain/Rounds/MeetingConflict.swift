import Foundation

/// A meeting that overlaps another one. If the caller may not see it, only its times are included.
public struct MeetingConflict: Sendable, Equatable {
    public struct Subject: Sendable, Equatable {
        public var id: UUID
        public var title: String
        public var seriesID: UUID

        public init(id: UUID, title: String, seriesID: UUID) {
            self.id = id
            self.title = title
            self.seriesID = seriesID
        }
    }

    /// Nil if the caller may not see the meeting.
    public var subject: Subject?
    public var startsAt: Date
    public var endsAt: Date

    public init(subject: Subject?, startsAt: Date, endsAt: Date) {
        self.subject = subject
        self.startsAt = startsAt
        self.endsAt = endsAt
    }
}

extension Problem {
    /// - Parameter conflicts: Empty if rounds of the same request overlap, or if the other meeting was deleted in the
    ///   meantime.
    public static func overlap(_ conflicts: [MeetingConflict]) -> Problem {
        var problem = Problem(
            .meetingOverlap,
            conflicts.isEmpty ? "The rounds of this repetition would overlap one another." : nil)
        problem.conflicts = conflicts
        return problem
    }
}
