import Foundation

/// A recurring meeting, as seen by the caller.
public struct Series: Codable, Sendable, Equatable, Identifiable {
    public struct Owner: Codable, Sendable, Equatable {
        public var id: ResourceID
        public var name: String

        public init(id: ResourceID, name: String) {
            self.id = id
            self.name = name
        }
    }

    /// The newest round.
    public struct Latest: Codable, Sendable, Equatable {
        public var id: ResourceID
        public var round: Int
        public var title: String
        @ExplicitNull public var startsAt: Date?
        /// The time zone in which to show the round's day.
        public var timeZone: String
        /// The path of the image, if any.
        @ExplicitNull public var image: String?
        public var attended: Int
        public var submissions: Int
        /// `upcoming`, `running` or `ended`. Nil if the round has no date.
        @ExplicitNull public var state: String?

        public init(
            id: ResourceID, round: Int, title: String, startsAt: Date?, timeZone: String, image: String?,
            attended: Int, submissions: Int, state: String?
        ) {
            self.id = id
            self.round = round
            self.title = title
            self.startsAt = startsAt
            self.timeZone = timeZone
            self.image = image
            self.attended = attended
            self.submissions = submissions
            self.state = state
        }
    }

    public var id: ResourceID
    public var title: String
    /// The poster's code, for `/s/{code}`.
    public var code: String
    /// The caller's role: `owner`, `editor` or `viewer`.
    public var role: String
    public var rounds: Int
    public var members: Int
    public var owner: Owner
    public var createdAt: Date
    @ExplicitNull public var deletedAt: Date?
    @ExplicitNull public var latest: Latest?

    public init(
        id: ResourceID, title: String, code: String, role: String, rounds: Int, members: Int, owner: Owner,
        createdAt: Date, deletedAt: Date?, latest: Latest?
    ) {
        self.id = id
        self.title = title
        self.code = code
        self.role = role
        self.rounds = rounds
        self.members = members
        self.owner = owner
        self.createdAt = createdAt
        self.deletedAt = deletedAt
        self.latest = latest
    }
}

/// The order of a list of series.
public enum SeriesOrder: String, Sendable {
    /// Newest first.
    case created
    /// Series with a running round or an open form first, then by the start of the latest round.
    case current
}

/// Changes to a series. Nil leaves a field unchanged.
public struct SeriesEdit: Codable, Sendable, Equatable {
    public var title: String?

    public init(title: String? = nil) {
        self.title = title
    }
}

public typealias SeriesList = Page<Series>
