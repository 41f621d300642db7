import Foundation

/// A person on a meeting's attendee list.
public struct Attendee: Codable, Sendable, Equatable, Identifiable {
    public var id: ResourceID
    public var name: String
    @ExplicitNull public var email: String?
    /// `expected`, `present`, `late` or `absent`.
    public var status: String
    @ExplicitNull public var checkedInAt: Date?
    /// The personal code, for `/v1/people/{code}`. Nil without an address.
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
    /// Defaults to `expected`.
    public var status: String?

    public init(name: String, email: String? = nil, status: String? = nil) {
        self.name = name
        self.email = email
        self.status = status
    }
}

/// Changes to an attendee. Nil leaves a field unchanged.
public struct AttendeeEdit: Codable, Sendable, Equatable {
    public var name: String?
    public var email: Edit<String>
    /// `expected`, `present` or `late`. A request can't set `absent`: `expected` becomes `absent` when the meeting
    /// ends.
    public var status: String?

    public init(name: String? = nil, email: Edit<String> = .unchanged, status: String? = nil) {
        self.name = name
        self.email = email
        self.status = status
    }
}
