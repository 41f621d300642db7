import Foundation

/// A person on the roster of a series.
public struct Member: Codable, Sendable, Equatable, Identifiable {
    public var id: ResourceID
    public var name: String
    public var email: String
    public var createdAt: Date

    public init(id: ResourceID, name: String, email: String, createdAt: Date) {
        self.id = id
        self.name = name
        self.email = email
        self.createdAt = createdAt
    }
}

/// The name and address of a person who joins or is added to a roster.
public struct MemberRequest: Codable, Sendable, Equatable {
    public var name: String
    public var email: String

    public init(name: String, email: String) {
        self.name = name
        self.email = email
    }
}

/// A list of at most 500 people.
public struct MembersRequest: Codable, Sendable, Equatable {
    public var members: [MemberRequest]

    public init(members: [MemberRequest]) {
        self.members = members
    }
}

/// Changes to a member. Nil leaves a field unchanged.
public struct MemberEdit: Codable, Sendable, Equatable {
    public var name: String?
    public var email: String?

    public init(name: String? = nil, email: String? = nil) {
        self.name = name
        self.email = email
    }
}

/// The addresses of at most 500 members.
public struct MemberAddresses: Codable, Sendable, Equatable {
    public var emails: [String]

    public init(emails: [String]) {
        self.emails = emails
    }
}

/// The members of the request in the same order, with the numbers of new and existing members.
public struct MembersAdded: Codable, Sendable, Equatable {
    public var items: [Member]
    public var added: Int
    public var unchanged: Int

    public init(items: [Member], added: Int, unchanged: Int) {
        self.items = items
        self.added = added
        self.unchanged = unchanged
    }
}

public struct MembersChanged: Codable, Sendable, Equatable {
    public var items: [Member]

    public init(items: [Member]) {
        self.items = items
    }
}

public struct MembersRemoved: Codable, Sendable, Equatable {
    public var removed: Int

    public init(removed: Int) {
        self.removed = removed
    }
}
