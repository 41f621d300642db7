import Contract
import Domain
import HTTPTypes
import NIOCore
import QRCodes
import Store

/// QR codes of forms, check-ins and series, and the redirect of a series' poster.
///
/// A code contains the URL of `--public-url`, never the `Host` of the request. Otherwise a client could create codes
/// that lead to another site.
struct CodeRoutes: Sendable {
    let store: Store
    let address: PublicAddress
    let codeLimit: CodeEnumerationLimit

    var routes: [Route] {
        let meeting = "/v1/meetings/{id}"
        return imageRoutes(meeting + "/form.qr") { request in
            let meeting = try await store.meetings.require(request.uuid("id"), by: request.requireCaller())
            return ("/f/\(meeting.form.code)", "Form: \(meeting.title)")
        }
            + imageRoutes(meeting + "/check-in.qr") { request in
                let meeting = try await store.meetings.require(request.uuid("id"), by: request.requireCaller())
                return ("/c/\(meeting.checkInCode)", "Check-in: \(meeting.title)")
            }
            + imageRoutes("/v1/series/{id}/qr") { request in
                let series = try await store.posters.require(
                    seriesID: request.uuid("id"), by: request.requireCaller())
                return ("/s/\(series.code)", series.title)
            }
            + [Route(.get, "/s/{code}", access: .participant, handler: redirect)]
    }

    /// The path that a code leads to, and the code's title.
    private typealias Target = @Sendable (APIRequest) async throws -> (path: String, title: String)

    private func imageRoutes(_ path: String, _ target: @escaping Target) -> [Route] {
        [
            Route(.get, path + ".svg", access: .account(.readMeetings), produces: [MediaType.svg]) { request in
                let (path, title) = try await target(request)
                let code = try QRCode(address.base + path)
                return response(Array(code.svg(title: title).utf8), as: MediaType.svg, path)
            },
            Route(
                .get, path + ".png", access: .account(.readMeetings), query: ["scale"], produces: [MediaType.png]
            ) { request in
                let (path, _) = try await target(request)
                let scale = try request.query { $0.int("scale", in: QRCode.scales) ?? 8 }
                guard let bytes = try QRCode(address.base + path).png(scale: scale) else {
                    throw Problem(.overloaded, retryAfter: 1)
                }
                return response(bytes, as: MediaType.png, path)
            },
        ]
    }

    private func response(_ bytes: [UInt8], as type: String, _ path: String) -> APIResponse {
        var response = APIResponse.bytes(ByteBuffer(bytes: bytes), as: type).tagged(ETag(digestOfBytes: bytes))
            .with(.codedURL, address.base + path)
        if let warning = address.warning { response = response.with(.warningSentence, warning) }
        return response
    }

    private func redirect(_ request: APIRequest) async throws -> APIResponse {
        let code = try request.parameter("code")
        let path = try await codeLimit.limitMisses(code, of: request) {
            try await store.posters.destination(code: code)
        }
        // Relative, so that it is correct behind any host name and path prefix.
        return try .json(PosterTarget(url: address.base + path), status: .seeOther)
            .with(.location, ".." + path)
    }
}
