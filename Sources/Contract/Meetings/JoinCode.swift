import Foundation

/// A request for a code with which people join the roster of a series.
public struct JoinCodeRequest: Codable, Sendable, Equatable {
    /// Unlimited if nil.
    public var capacity: Int?
    /// The code does not expire if nil.
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
    /// The number of people who joined with the code.
    public var used: Int
    public var createdAt: Date
    @ExplicitNull public var expiresAt: Date?
    /// The page where people join.
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

/// The response to a person who joined a series.
public struct Joining: Codable, Sendable, Equatable {
    /// The title of the series.
    public var series: String
    public var name: String
    /// The personal code, for `/v1/people/{code}`. Only in the response to a new member, and only if the service sends
    /// no mail.
    public var code: String?
    /// Whether the link to the person's own page was mailed to the address.
    public var mailed: Bool?

    public init(series: String, name: String, code: String? = nil, mailed: Bool? = nil) {
        self.series = series
        self.name = name
        self.code = code
        self.mailed = mailed
    }
}

/// The address to which the poster of a series leads now.
public struct PosterTarget: Codable, Sendable, Equatable {
    public var url: String

    public init(url: String) {
        self.url = url
    }
}
