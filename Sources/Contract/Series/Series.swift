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
    /// When the series is deleted permanently. Nil unless it is in the trash.
    @ExplicitNull public var purgesAt: Date?
    /// The number of days from the close of a form until its answers are deleted. The counts stay. Nil if the series
    /// does not set it.
    @ExplicitNull public var retentionDays: Int?
    /// The service's limit on `retentionDays`, which also applies to series that do not set it.
    @ExplicitNull public var retentionLimitDays: Int?
    /// The number of days that applies: the lower of `retentionDays` and the service's limit. Nil if answers are kept.
    @ExplicitNull public var effectiveRetentionDays: Int?
    @ExplicitNull public var latest: Latest?

    public init(
        id: ResourceID, title: String, code: String, role: String, rounds: Int, members: Int, owner: Owner,
        createdAt: Date, deletedAt: Date?, purgesAt: Date? = nil, retentionDays: Int? = nil,
        retentionLimitDays: Int? = nil, effectiveRetentionDays: Int? = nil, latest: Latest?
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
        self.purgesAt = purgesAt
        self.retentionDays = retentionDays
        self.retentionLimitDays = retentionLimitDays
        self.effectiveRetentionDays = effectiveRetentionDays
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
    /// The number of days from the close of a form until its answers are deleted. Only the owner may change it. A
    /// shorter retention deletes nothing in its first week. A longer one does not apply to forms that already accepted
    /// answers.
    public var retentionDays: Edit<Int>

    public init(title: String? = nil, retentionDays: Edit<Int> = .unchanged) {
        self.title = title
        self.retentionDays = retentionDays
    }
}

public typealias SeriesList = Page<Series>
