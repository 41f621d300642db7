import Cryptography
import Domain
import Foundation
import HTTPAPI
import HTTPServer
import HTTPTypes
import HummingbirdCore
import NIOCore

/// The response to a page request, without the headers that all pages have.
struct PageResponse: Sendable {
    var status: HTTPResponse.Status = .ok
    var headers: HTTPFields = [:]
    var html = ""
    /// A page that is sent instead of `html`, with the values in its gaps.
    var reused: (page: ReusablePage, values: [String])?
    /// Whether the sites in `frameAncestors` may frame the page.
    var isPublicForm = false
    /// The text from whose digest the ETag is made. Nil for a page that browsers must not reuse.
    var validator: String?
    /// A complete response that is passed on unchanged, such as a file, a picture or an event stream of the API.
    var relayed: Response?

    /// A redirect with GET.
    static func redirect(to path: String) -> PageResponse {
        PageResponse(status: .seeOther, headers: [.location: path])
    }

    /// A file that browsers save under this name.
    static func file(_ bytes: [UInt8], name: String, type: String, _ kit: PageKit) -> PageResponse {
        let headers: HTTPFields = [
            .contentType: type, .contentLength: "\(bytes.count)", .cacheControl: "no-store",
            .contentDisposition: "attachment; filename=\"\(name)\"",
        ]
        let response = Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        return PageResponse(relayed: kit.secured(response))
    }
}

extension PageRequest {
    func page(_ model: some PageModel, status: HTTPResponse.Status = .ok) -> PageResponse {
        PageResponse(status: status, html: kit.render(model, for: self))
    }

    /// Passes on a response of the API unchanged, or redirects to the sign-in page if the session has ended.
    func relay(_ path: String, as authorization: String) async throws -> PageResponse {
        let response = try await kit.api.relay(path, for: self, as: authorization)
        guard response.status != .unauthorized else { throw PageRedirect(path: "/sign-in") }
        return PageResponse(relayed: response)
    }
}

extension PageKit {
    private static let policy = [
        "default-src 'none'", "style-src 'self'", "script-src 'self'", "img-src 'self' data:", "connect-src 'self'",
        "form-action 'self'", "base-uri 'none'", "frame-ancestors ",
    ].joined(separator: "; ")

    private func policy(_ response: PageResponse) -> String {
        let ancestors = response.isPublicForm ? options.frameAncestors : []
        return Self.policy + (ancestors.isEmpty ? "'none'" : ancestors.joined(separator: " "))
    }

    /// Adds the headers that all pages have, and compresses the page.
    func finish(_ response: PageResponse, for page: PageRequest) -> Response {
        if let relayed = response.relayed { return relayed }
        var headers = response.headers
        headers[.requestID] = page.requestID.lowercased
        headers[.contentType] = "text/html; charset=utf-8"
        headers[.contentSecurityPolicy] = policy(response)
        // Under `no-referrer`, browsers would send `Origin: null` with the service's own forms.
        headers[.referrerPolicy] = "same-origin"
        protection.protect(&headers)
        // A page contains a CSRF token, so no cache may store it. The browser may if the page has a validator.
        if headers[.cacheControl] == nil { headers[.cacheControl] = "no-store" }
        // The rest of the request's body was not read, so the connection cannot be used again.
        if [408, 413, 415].contains(response.status.code) { headers[.connection] = "close" }
        var status = response.status
        if let validator = response.validator {
            let tag = ETag(Base64URL.encode(Array(SHA256.hash(Array(validator.utf8)).prefix(12))), isWeak: true)
            headers[.eTag] = tag.description
            headers[.cacheControl] = "private, no-cache"
            let cached = page.request.headers[.ifNoneMatch].flatMap { ETag.List(parsing: $0) }
            if case .tags(let tags) = cached, tags.contains(where: tag.isEquivalent(to:)) { status = .notModified }
        }
        headers[.contentLanguage] = page.language.rawValue
        headers[.vary] = "Accept-Encoding, Accept-Language, Cookie"
        headers[values: .setCookie] = page.newCookies.map {
            $0.header(isSecure: options.isSecure, isFramed: options.isSecure && !options.frameAncestors.isEmpty)
        }
        guard status != .notModified else { return Response(status: status, headers: headers) }
        let (bytes, isCompressed) = Self.body(of: response, acceptsGzip: Gzip.isAccepted(by: page.request.headers))
        if isCompressed { headers[.contentEncoding] = "gzip" }
        headers[.contentLength] = String(bytes.readableBytes)
        let body = page.method == .head ? ResponseBody() : ResponseBody(byteBuffer: bytes)
        return Response(status: status, headers: headers, body: body)
    }

    private static func body(
        of response: PageResponse, acceptsGzip: Bool
    ) -> (bytes: ByteBuffer, isCompressed: Bool) {
        if let (page, values) = response.reused {
            if acceptsGzip, let compressed = page.gzip(with: values) { return (compressed, true) }
            return (page.bytes(with: values), false)
        }
        let bytes = ByteBuffer(string: response.html)
        if acceptsGzip, let compressed = Gzip.compress(bytes) { return (compressed, true) }
        return (bytes, false)
    }
}

extension HTTPField.Name {
    // The name is a valid token, so the initializer never returns nil.
    static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
}
