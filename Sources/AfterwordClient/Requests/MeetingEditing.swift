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

extension Endpoint {
    static let getMeetingImage = Endpoint("GET", "/v1/meetings/{id}/image")
    static let setMeetingImage = Endpoint("PUT", "/v1/meetings/{id}/image")
    static let removeMeetingImage = Endpoint("DELETE", "/v1/meetings/{id}/image")

    static let meetingImages = [getMeetingImage, setMeetingImage, removeMeetingImage]
}

extension Afterword.Host {
    /// A meeting's image; ``AfterwordProblem/Code/notFound`` without one.
    public func image(of meeting: ResourceID) async throws -> Tagged<Picture> {
        try await call(.getMeetingImage, meeting).picture()
    }

    /// Gives a meeting an image, at most 2 MiB, which the service cleans of place, time and camera.
    ///
    /// - Parameter tag: of the image it replaces; any if it is nil.
    @discardableResult
    public func setImage(
        of meeting: ResourceID, to picture: Picture, matching tag: ETag? = nil
    ) async throws -> Tagged<Meeting> {
        try await call(.setMeetingImage, meeting, body: .bytes(picture.bytes, type: picture.mediaType), matching: tag)
            .tagged()
    }

    public func removeImage(of meeting: ResourceID, matching tag: ETag? = nil) async throws {
        _ = try await call(.removeMeetingImage, meeting, matching: tag)
    }
}
