import Contract

extension Endpoint {
    static let formCodeSVG = Endpoint("GET", "/v1/meetings/{id}/form.qr.svg")
    static let formCodePNG = Endpoint("GET", "/v1/meetings/{id}/form.qr.png")
    static let checkInCodeSVG = Endpoint("GET", "/v1/meetings/{id}/check-in.qr.svg")
    static let checkInCodePNG = Endpoint("GET", "/v1/meetings/{id}/check-in.qr.png")
    static let posterCodeSVG = Endpoint("GET", "/v1/series/{id}/qr.svg")
    static let posterCodePNG = Endpoint("GET", "/v1/series/{id}/qr.png")
    static let poster = Endpoint("GET", "/s/{code}")

    static let scanCodes = [
        formCodeSVG, formCodePNG, checkInCodeSVG, checkInCodePNG, posterCodeSVG, posterCodePNG, poster,
    ]
}

/// A QR code to be shown, and where it leads.
public struct ScanCode: Sendable, Equatable {
    /// How it is drawn.
    public enum Format: Sendable, Equatable {
        case svg
        /// - Parameter scale: pixels of one module; the service's default if it is nil.
        case png(scale: Int? = nil)
    }

    public var bytes: [UInt8]
    public var mediaType: String
    public var url: String
    /// What is wrong with that address, such as that only this machine knows it.
    public var warning: String?
}

extension Afterword {
    /// Where the standing code of a series leads at this moment.
    public func posterTarget(_ code: String) async throws -> String {
        try await call(.poster, code).value(PosterTarget.self).url
    }
}

extension Afterword.Host {
    /// The code that leads to a meeting's form.
    public func formCode(of meeting: ResourceID, as format: ScanCode.Format = .svg) async throws -> ScanCode {
        try await code(format, .formCodeSVG, .formCodePNG, meeting)
    }

    /// The code that leads to a meeting's check-in.
    public func checkInCode(of meeting: ResourceID, as format: ScanCode.Format = .svg) async throws -> ScanCode {
        try await code(format, .checkInCodeSVG, .checkInCodePNG, meeting)
    }

    /// The code for a series' wall, which always leads to what is on now.
    public func posterCode(of series: ResourceID, as format: ScanCode.Format = .svg) async throws -> ScanCode {
        try await code(format, .posterCodeSVG, .posterCodePNG, series)
    }

    private func code(
        _ format: ScanCode.Format, _ svg: Endpoint, _ png: Endpoint, _ id: ResourceID
    ) async throws -> ScanCode {
        let reply =
            switch format {
            case .svg: try await call(svg, id)
            case .png(let scale): try await call(png, id, query: ["scale": scale.map(String.init)])
            }
        guard let type = reply.headers["content-type"], let url = reply.headers["afterword-url"] else {
            throw AfterwordError.unexpected(status: reply.status, "The answer has no type or leads nowhere.")
        }
        return ScanCode(bytes: reply.body, mediaType: type, url: url, warning: reply.headers["afterword-warning"])
    }
}
