#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A link with which anyone reads a meeting's results for a while.
public struct ShareRequest: Codable, Sendable, Equatable {
    /// For the hosts' own list.
    public var name: String?
    /// Thirty days from now if nil, at most a year.
    public var expiresAt: Date?

    public init(name: String? = nil, expiresAt: Date? = nil) {
        self.name = name
        self.expiresAt = expiresAt
    }
}

public struct Share: Codable, Sendable, Equatable, Identifiable {
    public struct Maker: Codable, Sendable, Equatable {
        public var id: ResourceID
        public var name: String

        public init(id: ResourceID, name: String) {
            self.id = id
            self.name = name
        }
    }

    public var id: ResourceID
    @ExplicitNull public var name: String?
    public var createdAt: Date
    public var expiresAt: Date
    /// It shows nothing while they may not edit the meeting.
    public var createdBy: Maker
    /// Shown once, when it is made.
    @Confidential public var token: String?
    /// The page that shows the results; shown once too.
    @Confidential public var url: String?

    public init(
        id: ResourceID, name: String? = nil, createdAt: Date, expiresAt: Date, createdBy: Maker, token: String? = nil,
        url: String? = nil
    ) {
        self.id = id
        self.name = name
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.createdBy = createdBy
        self.token = token
        self.url = url
    }
}

/// What the holder of a share is told of the meeting.
public struct SharedMeeting: Codable, Sendable, Equatable {
    public var title: String
    /// The title of the series.
    public var series: String
    public var round: Int
    @ExplicitNull public var startsAt: Date?
    public var timeZone: String
    /// When the share ends.
    public var expiresAt: Date

    public init(title: String, series: String, round: Int, startsAt: Date?, timeZone: String, expiresAt: Date) {
        self.title = title
        self.series = series
        self.round = round
        self.startsAt = startsAt
        self.timeZone = timeZone
        self.expiresAt = expiresAt
    }
}

/// A released text as participants and holders of a share read it: without whose and when.
public struct ReleasedText: Codable, Sendable, Equatable {
    public var text: String

    public init(text: String) {
        self.text = text
    }
}

public typealias ReleasedTexts = Page<ReleasedText>
