import Foundation

/// A request for a link to a meeting's results.
public struct ShareRequest: Codable, Sendable, Equatable {
    /// Shown in the hosts' list only.
    public var name: String?
    /// 30 days ahead if nil, at most one year.
    public var expiresAt: Date?

    public init(name: String? = nil, expiresAt: Date? = nil) {
        self.name = name
        self.expiresAt = expiresAt
    }
}

public struct Share: Codable, Sendable, Equatable, Identifiable {
    public struct Creator: Codable, Sendable, Equatable {
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
    /// The share shows nothing while this account may not edit the meeting.
    public var createdBy: Creator
    /// Only in the response that creates the share.
    @Confidential public var token: String?
    /// The page that shows the results. Only in the response that creates the share.
    @Confidential public var url: String?

    public init(
        id: ResourceID, name: String? = nil, createdAt: Date, expiresAt: Date, createdBy: Creator, token: String? = nil,
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

/// The part of a meeting that the holder of a share sees.
public struct SharedMeeting: Codable, Sendable, Equatable {
    public var title: String
    /// The title of the series.
    public var series: String
    public var round: Int
    @ExplicitNull public var startsAt: Date?
    public var timeZone: String
    /// The expiry of the share.
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

/// A released text, without its author and time.
public struct ReleasedText: Codable, Sendable, Equatable {
    public var text: String

    public init(text: String) {
        self.text = text
    }
}

public typealias ReleasedTexts = Page<ReleasedText>
