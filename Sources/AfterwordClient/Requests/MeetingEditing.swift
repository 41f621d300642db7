import Contract
import Foundation
import StrictJSON

extension Endpoint {
    static let editMeeting = Endpoint("PATCH", "/v1/meetings/{id}")
    static let getAvailability = Endpoint("GET", "/v1/meetings/availability")

    static let meetingEditing = [editMeeting, getAvailability]
}

extension Afterword.Host {
    /// Changes a meeting that was read. Throws ``AfterwordProblem/Code/preconditionFailed`` if it was changed in the
    /// meantime.
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

    /// Whether a time slot is free, and the meetings that overlap it.
    ///
    /// - Parameter series: The series whose owner's meetings are checked. If nil, the caller's own meetings.
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
    static let describeMeetingImage = Endpoint("PATCH", "/v1/meetings/{id}/image")
    static let removeMeetingImage = Endpoint("DELETE", "/v1/meetings/{id}/image")

    static let meetingImages = [getMeetingImage, setMeetingImage, describeMeetingImage, removeMeetingImage]
}

extension Afterword.Host {
    /// A meeting's image. Throws ``AfterwordProblem/Code/notFound`` if there is none.
    public func image(of meeting: ResourceID) async throws -> Tagged<Picture> {
        try await call(.getMeetingImage, meeting).picture()
    }

    /// Sets a meeting's image, at most 2 MiB. The service removes its location, time and camera metadata.
    ///
    /// - Parameter tag: The tag of the image to replace. If nil, any image is replaced.
    @discardableResult
    public func setImage(
        of meeting: ResourceID, to picture: Picture, matching tag: ETag? = nil
    ) async throws -> Tagged<Meeting> {
        try await call(.setMeetingImage, meeting, body: .bytes(picture.bytes, type: picture.mediaType), matching: tag)
            .tagged()
    }

    /// Describes a meeting's image for people who do not see it above the form, with at most 300 characters.
    public func describeImage(of meeting: ResourceID, as alt: String) async throws {
        _ = try await call(.describeMeetingImage, meeting, body: .json(ImageDescription(alt: alt)))
    }

    public func removeImage(of meeting: ResourceID, matching tag: ETag? = nil) async throws {
        _ = try await call(.removeMeetingImage, meeting, matching: tag)
    }
}
