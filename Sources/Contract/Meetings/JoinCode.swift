#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A code with which people enter themselves in the roster of a series.
public struct JoinCodeRequest: Codable, Sendable, Equatable {
    /// Any number if nil.
    public var capacity: Int?
    /// It lasts if nil.
    public var expiresAt: Date?

    public init(capacity: Int? = nil, expiresAt: Date? = nil) {
        self.capacity = capacity
        self.expiresAt = expiresAt
    }
}

public struct JoinCode: Codable, Sendable, Equatable, Identifiable {
    public var id: ResourceID
    public var code: String
    @ExplicitNull public var capacity: Int?
    public var used: Int
    public var createdAt: Date
    @ExplicitNull public var expiresAt: Date?
    /// Where people join, to be shown or sent.
    public var url: String

    public init(
        id: ResourceID, code: String, capacity: Int? = nil, used: Int, createdAt: Date, expiresAt: Date? = nil,
        url: String
    ) {
        self.id = id
        self.code = code
        self.capacity = capacity
        self.used = used
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.url = url
    }
}

/// What somebody is told who joined.
public struct Joining: Codable, Sendable, Equatable {
    /// The title of the series.
    public var series: String
    public var name: String
    /// What shows the person their own record at `/v1/people/{code}`; told to a new member alone.
    public var code: String?

    public init(series: String, name: String, code: String? = nil) {
        self.series = series
        self.name = name
        self.code = code
    }
}

/// Where the standing code of a series leads at this moment.
public struct PosterTarget: Codable, Sendable, Equatable {
    public var url: String

    public init(url: String) {
        self.url = url
    }
}
