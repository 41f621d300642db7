#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A person on a meeting's list.
public struct Attendee: Codable, Sendable, Equatable, Identifiable {
    public var id: ResourceID
    public var name: String
    @ExplicitNull public var email: String?
    /// `expected`, `present`, `late` or `absent`.
    public var status: String
    @ExplicitNull public var checkedInAt: Date?
    /// What shows the person their own record at `/v1/people/{code}`; nil without an address.
    @ExplicitNull public var code: String?

    public init(
        id: ResourceID, name: String, email: String? = nil, status: String, checkedInAt: Date? = nil,
        code: String? = nil
    ) {
        self.id = id
        self.name = name
        self.email = email
        self.status = status
        self.checkedInAt = checkedInAt
        self.code = code
    }
}

public struct AttendeeRequest: Codable, Sendable, Equatable {
    public var name: String
    public var email: String?
    /// `expected` if nil.
    public var status: String?

    public init(name: String, email: String? = nil, status: String? = nil) {
        self.name = name
        self.email = email
        self.status = status
    }
}

/// What changes of a person on the list; what is nil stays.
public struct AttendeeEdit: Codable, Sendable, Equatable {
    public var name: String?
    public var email: Edit<String>
    /// `expected`, `present` or `late`; absent is what the clock makes of an expected person.
    public var status: String?

    public init(name: String? = nil, email: Edit<String> = .unchanged, status: String? = nil) {
        self.name = name
        self.email = email
        self.status = status
    }
}
