import Contract

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
