import Contract

extension Endpoint {
    static let resultPicture = Endpoint("GET", "/v1/meetings/{id}/results/{picture}")

    static let report = Endpoint("GET", "/v1/meetings/{id}/report.pdf")

    static let pictures = [resultPicture, report]
}

/// The type of a chart.
public enum PictureShape: String, Sendable, CaseIterable {
    case bars
    /// Single choice only.
    case doughnut
}

extension Afterword.Host {
    /// The chart of a rating or choice question, as SVG.
    ///
    /// - Parameters:
    ///   - shape: The question's default shape if nil.
    ///   - width: In pixels, from 320 to 2000. The service's default if nil.
    public func picture(
        of meeting: ResourceID, question: String, as shape: PictureShape? = nil, width: Int? = nil
    ) async throws -> Tagged<Picture> {
        try await call(
            .resultPicture, meeting, "\(question).svg",
            query: ["shape": shape?.rawValue, "width": width.map(String.init)]
        ).picture()
    }

    /// The results of a meeting as a PDF file, as its page for printing shows them.
    ///
    /// - Parameter language: `de`, `en` or `ko`. The service's default if nil.
    public func report(of meeting: ResourceID, language: String? = nil) async throws -> [UInt8] {
        try await call(.report, meeting, query: ["lang": language]).body
    }
}

/// An image file: JPEG, PNG, WebP or, for a chart, SVG.
public struct Picture: Sendable, Equatable {
    public var bytes: [UInt8]
    public var mediaType: String

    /// - Parameter mediaType: Such as `image/png`.
    public init(bytes: [UInt8], mediaType: String) {
        self.bytes = bytes
        self.mediaType = mediaType
    }

    /// Detects the format from the first bytes. Returns nil if the service does not accept the format.
    public init?(_ bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        let kind: String? =
            if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
                "jpeg"
            } else if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
                "png"
            } else if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBP".utf8) {
                "webp"
            } else {
                nil
            }
        guard let kind else { return nil }
        self.init(bytes: bytes, mediaType: "image/" + kind)
    }
}

extension Reply {
    func picture() throws -> Tagged<Picture> {
        guard let type = mediaType, let tag = headers["etag"] else {
            throw AfterwordError.unexpected(status: status, "The response has no content type or no ETag.")
        }
        return Tagged(Picture(bytes: body, mediaType: type), tag: ETag(tag))
    }
}
