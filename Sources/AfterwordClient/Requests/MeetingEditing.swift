import Contract
import StrictJSON

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Endpoint {
    static let editMeeting = Endpoint("PATCH", "/v1/meetings/{id}")
    static let getAvailability = Endpoint("GET", "/v1/meetings/availability")

    static let meetingEditing = [editMeeting, getAvailability]
}

extension Afterword.Host {
    /// Changes a meeting as it was read; somebody else's change in between is ``AfterwordProblem/Code/preconditionFailed``.
    @discardableResult
    public func edit(_ meeting: Tagged<Meeting>, _ edit: MeetingEdit) async throws -> Tagged<Meeting> {
        try await editMeeting(meeting.value.id, edit, matching: meeting.tag)
    }

    @discardableResult
    public func editMeeting(
        _ id: ResourceID, _ edit: MeetingEdit, matching tag: ETag
    ) async throws -> Tagged<Meeting> {
        try await call(.editMeeting, id, body: .json(edit), matching: tag).tagged()
    }

    /// Whether a time is free, and what is in its way.
    ///
    /// - Parameter series: whose owner's time is asked for; one's own if it is nil.
    public func availability(from start: Date, to end: Date, in series: ResourceID? = nil) async throws -> Availability
    {
        try await call(
            .getAvailability,
            query: [
                "startsAt": RFC3339.format(start), "endsAt": RFC3339.format(end), "seriesId": series?.description,
            ]
        ).value()
    }
}
