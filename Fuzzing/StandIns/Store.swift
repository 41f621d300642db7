import Foundation

// Stored values, reduced to the positions at which their lists continue. The real types read database rows, so the
// database client would have to be built with them.

public struct Meeting: Sendable {
    public var id: UUID
    public var startsAt: Date?
    public var round: Int
}

public struct MeetingQuery: Sendable {
    public typealias Position = (startsAt: Date?, id: UUID)
}

public struct MeetingSeries: Sendable {
    public var id: UUID
    public var createdAt: Date
    public var position: SeriesQuery.Position?
}

public struct Account: Sendable {
    public var id: UUID
    public var email: String
}

public struct Profile: Sendable {
    public var account: Account
}

public struct AccountQuery: Sendable {
    public typealias Position = (email: String, id: UUID)
}

public struct AuditEntry: Sendable {
    public var id: UUID
    public var at: Date
}

public struct AuditQuery: Sendable {
    public typealias Position = (at: Date, id: UUID)
}

public struct Attendee: Sendable {
    public var id: UUID
    public var sortKey: String
}

public struct Attendees: Sendable {
    public typealias Position = (sortKey: String, id: UUID)
}

public struct JoinCode: Sendable {
    public var id: UUID
}

struct TextFilter: Sendable {
    var hidden = false
    var starred = false
    var tag: String?
}

struct TextList: Sendable {
    var search: String?
    var filter = TextFilter()
    var shuffled: Bool
}

struct TextQuestion: Sendable {
    var formID: UUID
    var key: String
    var keyNumber: Int
    var hasSalt: Bool
}
