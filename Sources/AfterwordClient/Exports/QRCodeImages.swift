import Contract

extension Endpoint {
    static let formCodeSVG = Endpoint("GET", "/v1/meetings/{id}/form.qr.svg")
    static let formCodePNG = Endpoint("GET", "/v1/meetings/{id}/form.qr.png")
    static let checkInCodeSVG = Endpoint("GET", "/v1/meetings/{id}/check-in.qr.svg")
    static let checkInCodePNG = Endpoint("GET", "/v1/meetings/{id}/check-in.qr.png")
    static let posterCodeSVG = Endpoint("GET", "/v1/series/{id}/qr.svg")
    static let posterCodePNG = Endpoint("GET", "/v1/series/{id}/qr.png")
    static let poster = Endpoint("GET", "/s/{code}")

    static let qrCodeImages = [
        formCodeSVG, formCodePNG, checkInCodeSVG, checkInCodePNG, posterCodeSVG, posterCodePNG, poster,
    ]
}

/// A QR code as an image, with the address that it encodes.
public struct QRCodeImage: Sendable, Equatable {
    /// The image format.
    public enum Format: Sendable, Equatable {
        case svg
        /// - Parameter scale: Pixels per module. The service's default if nil.
        case png(scale: Int? = nil)
    }

    public var bytes: [UInt8]
    public var mediaType: String
    public var url: String
    /// A problem with the address, for example that only this machine can reach it.
    public var warning: String?
}

extension Afterword {
    /// The address to which the poster of a series leads now.
    public func posterTarget(_ code: String) async throws -> String {
        try await call(.poster, code).value(PosterTarget.self).url
    }
}

extension Afterword.Host {
    /// The QR code of a meeting's form.
    public func formQRCode(of meeting: ResourceID, as format: QRCodeImage.Format = .svg) async throws -> QRCodeImage {
        try await qrCode(format, .formCodeSVG, .formCodePNG, meeting)
    }

    /// The QR code of a meeting's check-in.
    public func checkInQRCode(of meeting: ResourceID, as format: QRCodeImage.Format = .svg) async throws -> QRCodeImage
    {
        try await qrCode(format, .checkInCodeSVG, .checkInCodePNG, meeting)
    }

    /// The QR code of a series' poster, which always leads to the meeting that is on now.
    public func posterQRCode(of series: ResourceID, as format: QRCodeImage.Format = .svg) async throws -> QRCodeImage {
        try await qrCode(format, .posterCodeSVG, .posterCodePNG, series)
    }

    private func qrCode(
        _ format: QRCodeImage.Format, _ svg: Endpoint, _ png: Endpoint, _ id: ResourceID
    ) async throws -> QRCodeImage {
        let reply =
            switch format {
            case .svg: try await call(svg, id)
            case .png(let scale): try await call(png, id, query: ["scale": scale.map(String.init)])
            }
        guard let type = reply.mediaType, let url = reply.headers["afterword-url"] else {
            throw AfterwordError.unexpected(status: reply.status, "The response has no content type or no URL.")
        }
        return QRCodeImage(bytes: reply.body, mediaType: type, url: url, warning: reply.headers["afterword-warning"])
    }
}
