import Foundation

/// A form as its host sees it. In JSON, the fields of the definition are on the same level as the others.
public struct Form: Codable, Sendable, Equatable {
    public var id: ResourceID
    public var meetingId: ResourceID
    public var code: String
    /// Eight characters that are easy to type. The join code works only while the form is open.
    public var joinCode: String
    public var state: String
    /// Whether an anonymous form is `closed` but not yet `final`. The service makes it `final` once no answer can be
    /// linked to a person.
    public var finalising: Bool
    /// 0 before the first publication.
    public var version: Int
    @ExplicitNull public var opensAt: Date?
    @ExplicitNull public var closesAt: Date?
    /// The number of days from the close until the answers are deleted. The counts stay. Nil if the answers are kept.
    @ExplicitNull public var retentionDays: Int?
    /// When the answers will be deleted. Nil if they are kept or already deleted, or if it is not known when the form
    /// closes.
    @ExplicitNull public var answersDeleteAt: Date?
    /// When the answers were deleted.
    @ExplicitNull public var answersDeletedAt: Date?
    public var definition: FormBody

    private enum CodingKeys: CodingKey {
        case id, meetingId, code, joinCode, state, finalising, version, opensAt, closesAt, retentionDays,
            answersDeleteAt
        case answersDeletedAt
    }

    public init(
        id: ResourceID, meetingId: ResourceID, code: String, joinCode: String, state: String, finalising: Bool,
        version: Int, opensAt: Date?, closesAt: Date?, retentionDays: Int? = nil, answersDeleteAt: Date? = nil,
        answersDeletedAt: Date? = nil, definition: FormBody
    ) {
        self.id = id
        self.meetingId = meetingId
        self.code = code
        self.joinCode = joinCode
        self.state = state
        self.finalising = finalising
        self.version = version
        self.opensAt = opensAt
        self.closesAt = closesAt
        self.retentionDays = retentionDays
        self.answersDeleteAt = answersDeleteAt
        self.answersDeletedAt = answersDeletedAt
        self.definition = definition
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try container.decode(ResourceID.self, forKey: .id),
            meetingId: try container.decode(ResourceID.self, forKey: .meetingId),
            code: try container.decode(String.self, forKey: .code),
            joinCode: try container.decode(String.self, forKey: .joinCode),
            state: try container.decode(String.self, forKey: .state),
            finalising: try container.decode(Bool.self, forKey: .finalising),
            version: try container.decode(Int.self, forKey: .version),
            opensAt: try container.decode(ExplicitNull<Date>.self, forKey: .opensAt).wrappedValue,
            closesAt: try container.decode(ExplicitNull<Date>.self, forKey: .closesAt).wrappedValue,
            retentionDays: try container.decode(ExplicitNull<Int>.self, forKey: .retentionDays).wrappedValue,
            answersDeleteAt: try container.decode(ExplicitNull<Date>.self, forKey: .answersDeleteAt).wrappedValue,
            answersDeletedAt: try container.decode(ExplicitNull<Date>.self, forKey: .answersDeletedAt).wrappedValue,
            definition: try FormBody(from: decoder))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(meetingId, forKey: .meetingId)
        try container.encode(code, forKey: .code)
        try container.encode(joinCode, forKey: .joinCode)
        try container.encode(state, forKey: .state)
        try container.encode(finalising, forKey: .finalising)
        try container.encode(version, forKey: .version)
        try container.encode(_opensAt, forKey: .opensAt)
        try container.encode(_closesAt, forKey: .closesAt)
        try container.encode(_retentionDays, forKey: .retentionDays)
        try container.encode(_answersDeleteAt, forKey: .answersDeleteAt)
        try container.encode(_answersDeletedAt, forKey: .answersDeletedAt)
        try definition.encode(to: encoder)
    }
}

/// The reopening of a closed form. If `closes` is nil, the form stays open until a host closes it.
public struct Reopening: Codable, Sendable, Equatable {
    public var closes: Date?

    public init(closes: Date? = nil) {
        self.closes = closes
    }
}
