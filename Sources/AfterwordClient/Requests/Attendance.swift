import Contract
import Foundation
import StrictJSON

extension Endpoint {
    static let meetingForCheckIn = Endpoint("GET", "/v1/check-ins/{code}")
    static let checkIn = Endpoint("POST", "/v1/check-ins/{code}", .idempotent)
    static let listAttendees = Endpoint("GET", "/v1/meetings/{id}/attendees")
    static let addAttendee = Endpoint("POST", "/v1/meetings/{id}/attendees", .keyed)
    static let editAttendee = Endpoint("PATCH", "/v1/meetings/{id}/attendees/{attendeeId}")
    static let removeAttendee = Endpoint("DELETE", "/v1/meetings/{id}/attendees/{attendeeId}")
    static let countWalkIns = Endpoint("GET", "/v1/meetings/{id}/walk-ins")
    static let removeWalkIns = Endpoint("DELETE", "/v1/meetings/{id}/walk-ins")
    static let createLink = Endpoint("POST", "/v1/meetings/{id}/attendees/{attendeeId}/link", .idempotent)
    static let sendFormInvitations = Endpoint("POST", "/v1/meetings/{id}/form/invitations", .keyed)
    static let findPerson = Endpoint("GET", "/v1/series/{id}/attendees")
    static let getPerson = Endpoint("GET", "/v1/people/{code}")

    static let attendance = [
        meetingForCheckIn, checkIn, listAttendees, addAttendee, editAttendee, removeAttendee, countWalkIns,
        removeWalkIns, createLink, sendFormInvitations, findPerson, getPerson,
    ]
}

/// The status of an attendee.
public enum AttendanceStatus: String, Sendable, CaseIterable {
    case expected, present, late, absent
}

extension Afterword {
    /// The meeting that a check-in code belongs to.
    public func meetingForCheckIn(_ code: String) async throws -> CheckInMeeting {
        try await call(.meetingForCheckIn, code).value()
    }

    /// Checks a person in. A repeated call returns the status and time of the first one.
    public func checkIn(_ code: String, name: String, email: String) async throws -> CheckIn {
        try await call(.checkIn, code, body: .json(CheckInRequest(name: name, email: email))).value()
    }

    /// A person's own attendance in a series, by personal code.
    public func person(_ code: String) async throws -> Person {
        try await call(.getPerson, code).value()
    }
}

extension Afterword.Host {
    /// The attendee list of a meeting.
    public func attendees(of meeting: ResourceID, status: AttendanceStatus? = nil) -> Pages<Attendee> {
        pages(.listAttendees, meeting, query: ["status": status?.rawValue])
    }

    @discardableResult
    public func addAttendee(
        _ attendee: AttendeeRequest, to meeting: ResourceID, key: IdempotencyKey? = nil
    ) async throws -> Attendee {
        try await call(.addAttendee, meeting, body: .json(attendee), key: key).value()
    }

    @discardableResult
    public func editAttendee(
        _ id: ResourceID, _ edit: AttendeeEdit, of meeting: ResourceID
    ) async throws -> Attendee {
        try await call(.editAttendee, meeting, id, body: .json(edit)).value()
    }

    public func removeAttendee(_ id: ResourceID, from meeting: ResourceID) async throws {
        _ = try await call(.removeAttendee, meeting, id)
    }

    /// The number of walk-ins, optionally only of those that checked in within a period.
    public func walkIns(of meeting: ResourceID, from: Date? = nil, to: Date? = nil) async throws -> WalkInCount {
        try await call(
            .countWalkIns, meeting, query: ["from": from.map(RFC3339.format), "to": to.map(RFC3339.format)]
        ).value()
    }

    /// Removes the walk-ins that checked in at `from` or later, and before `to`.
    ///
    /// - Returns: The number of removed walk-ins.
    @discardableResult
    public func removeWalkIns(of meeting: ResourceID, from: Date, to: Date) async throws -> Int {
        try await call(
            .removeWalkIns, meeting, query: ["from": RFC3339.format(from), "to": RFC3339.format(to)]
        ).value(WalkInRemoval.self).removed
    }

    /// The personal link of one attendee to a meeting's form.
    public func personalLink(for attendee: ResourceID, of meeting: ResourceID) async throws -> PersonalLink {
        try await call(.createLink, meeting, attendee).value()
    }

    /// Mails a personal link to every attendee with an address.
    ///
    /// - Parameter remind: Whether to mail only attendees who have not answered. For an anonymous form, all are mailed.
    @discardableResult
    public func sendFormInvitations(
        of meeting: ResourceID, remind: Bool = false, key: IdempotencyKey? = nil
    ) async throws -> FormInvitations {
        try await call(
            .sendFormInvitations, meeting, body: .json(FormInvitationRequest(remind: remind ? true : nil)), key: key
        ).value()
    }

    /// One person's attendance across all rounds of a series. Requires the role of an editor.
    public func person(email: String, in series: ResourceID) async throws -> Person {
        try await call(.findPerson, series, query: ["email": email]).value()
    }
}
