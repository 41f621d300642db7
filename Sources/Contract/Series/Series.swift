#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A recurring meeting, as seen by the caller.
public struct Series: Codable, Sendable, Equatable, Identifiable {
    public struct Owner: Codable, Sendable, Equatable {
        public var id: ResourceID
        public var name: String
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
