import Foundation

/// The meeting that a check-in code belongs to.
public struct CheckInMeeting: Codable, Sendable, Equatable {
    /// The code and state of the meeting's form.
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
    /// The state of the check-in: `early`, `open` or `over`.
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

/// The walk-ins of a meeting.
public struct WalkInCount: Codable, Sendable, Equatable {
    public var count: Int
    /// The largest number of walk-ins that the meeting admits.
    public var limit: Int
    /// The times of the first and the last counted check-in.
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

/// The response to a check-in. A repeated request gets the status and time of the first one.
public struct CheckIn: Codable, Sendable, Equatable {
    /// `present` or `late`.
    public var status: String
    public var checkedInAt: Date
    /// In JSON, the fields of `meeting` are on the same level as `checkedInAt`.
    public var meeting: CheckInMeeting

    public init(status: String, checkedInAt: Date, meeting: CheckInMeeting) {
        self.status = status
        self.checkedInAt = checkedInAt
        self.meeting = meeting
    }

    private enum CodingKeys: CodingKey {
        case status, checkedInAt
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        status = try container.decode(String.self, forKey: .status)
        checkedInAt = try container.decode(Date.self, forKey: .checkedInAt)
        meeting = try CheckInMeeting(from: decoder)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(status, forKey: .status)
        try container.encode(checkedInAt, forKey: .checkedInAt)
        try meeting.encode(to: encoder)
    }
}
