import Contract

extension Endpoint {
    static let resultPicture = Endpoint("GET", "/v1/meetings/{id}/results/{picture}")

    static let pictures = [resultPicture]
}

/// How a result is drawn.
public enum PictureShape: String, Sendable, CaseIterable {
    case bars
    /// For a single choice only.
    case doughnut
}

extension Afterword.Host {
    /// A rating's or a choice's result as SVG.
    ///
    /// - Parameters:
    ///   - shape: the usual one of the question if it is nil.
    ///   - width: in pixels, from 320 to 2000; the service's default if it is nil.
    public func picture(
        of meeting: ResourceID, question: String, as shape: PictureShape? = nil, width: Int? = nil
    ) async throws -> Tagged<Picture> {
        try await call(
            .resultPicture, meeting, "\(question).svg",
            query: ["shape": shape?.rawValue, "width": width.map(String.init)]
        ).picture()
    }
}
