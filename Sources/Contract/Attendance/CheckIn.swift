#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Where somebody is who opened a check-in code.
public struct CheckInPlace: Codable, Sendable, Equatable {
    /// What the meeting's form is known by.
    public struct FormState: Codable, Sendable, Equatable {
        public var code: String
        public var state: String

        public init(code: String, state: String) {
            self.code = code
            self.state = state
        }
    }

    public var title: String
    /// The title of the series.
    public var series: String
    @ExplicitNull public var startsAt: Date?
    @ExplicitNull public var endsAt: Date?
    public var timeZone: String
    @ExplicitNull public var place: String?
    /// Of the check-in: `early`, `open` or `over`.
    public var state: String
    public var form: FormState

    public init(
        title: String, series: String, startsAt: Date? = nil, endsAt: Date? = nil, timeZone: String,
        place: String? = nil, state: String, form: FormState
    ) {
        self.title = title
        self.series = series
        self.startsAt = startsAt
        self.endsAt = endsAt
        self.timeZone = timeZone
        self.place = place
        self.state = state
        self.form = form
    }
}

public struct CheckInRequest: Codable, Sendable, Equatable {
    public var name: String
    public var email: String

    public init(name: String, email: String) {
        self.name = name
        self.email = email
    }
}

/// People who checked in by the code without having been on the list.
public struct WalkInCount: Codable, Sendable, Equatable {
    public var count: Int
    /// How many the meeting admits.
    public var limit: Int
    /// When the first and the last of those counted checked in.
    @ExplicitNull public var first: Date?
    @ExplicitNull public var last: Date?

    public init(count: Int, limit: Int, first: Date? = nil, last: Date? = nil) {
        self.count = count
        self.limit = limit
        self.first = first
        self.last = last
    }
}

public struct WalkInRemoval: Codable, Sendable, Equatable {
    public var removed: Int

    public init(removed: Int) {
        self.removed = removed
    }
}

/// The answer to somebody who came, the same each time.
public struct CheckIn: Codable, Sendable, Equatable {
    /// `present` or `late`.
    public var status: String
    public var checkedInAt: Date
    /// The fields of the place, which stand beside these.
    public var place: CheckInPlace

    public init(status: String, checkedInAt: Date, place: CheckInPlace) {
        self.status = status
        self.checkedInAt = checkedInAt
        self.place = place
    }

    private enum CodingKeys: CodingKey {
        case status, checkedInAt
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        status = try container.decode(String.self, forKey: .status)
        checkedInAt = try container.decode(Date.self, forKey: .checkedInAt)
        place = try CheckInPlace(from: decoder)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(status, forKey: .status)
        try container.encode(checkedInAt, forKey: .checkedInAt)
        try place.encode(to: encoder)
    }
}
