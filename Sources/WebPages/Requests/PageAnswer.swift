import Cryptography
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore

/// What a page is answered with, before what all pages have is added.
struct PageAnswer: Sendable {
    var status: HTTPResponse.Status = .ok
    var headers: HTTPFields = [:]
    var html = ""
    /// Whether other sites may show it within their own pages, if the service's settings let them.
    var isPublicForm = false
    /// What tells this page from a later one of the same browser; nil for a page that is never kept.
    var validator: String?
    /// An answer of the API that is passed on as it is: a file, a picture, a stream of events.
    var relayed: Response?

    /// To another address, with GET.
    static func redirect(to path: String) -> PageAnswer {
        PageAnswer(status: .seeOther, headers: [.location: path])
    }
}

extension PageRequest {
    func page(_ model: some PageModel, status: HTTPResponse.Status = .ok) -> PageAnswer {
        PageAnswer(status: status, html: kit.render(model, for: self))
    }

    func page(
        _ template: String, _ values: [String: Any] = [:], status: HTTPResponse.Status = .ok
    ) -> PageAnswer {
        PageAnswer(status: status, html: kit.render(template, values, for: self))
    }

    /// What the API has at another address, as it comes.
    func relay(_ path: String, as authorization: String) async throws -> PageAnswer {
        let response = try await kit.api.relay(path, for: self, as: authorization)
        guard response.status != .unauthorized else { throw PageRedirect(to: "/sign-in") }
        return PageAnswer(relayed: response)
    }

    /// Why there is no page as it was asked for, in the language of whoever asks.
    func trouble(_ trouble: PageError) -> PageAnswer {
        let texts = texts
        let known = trouble.code.flatMap { texts.find("problem.\($0)") }
        let general = texts.find("problem.status-\(trouble.status.code)") ?? texts("problem.other")
        var answer = page(
            "message", ["title": known ?? general, "text": known == nil ? explained(trouble) ?? "" : ""],
            status: trouble.status)
        answer.headers[.retryAfter] = trouble.retryAfter
        answer.headers[.allow] = trouble.allow
        return answer
    }

    /// More than a title can say; what the API says itself is in English.
    private func explained(_ trouble: PageError) -> String? {
        if trouble.code == "forbidden" {
            if path.hasPrefix("/admin") { return texts("problem.forbidden-admins") }
            if path.hasPrefix("/meetings") || path.hasPrefix("/series") { return texts("problem.forbidden-hosts") }
        }
        return trouble.code == nil || language == .english ? trouble.detail : nil
    }
}

extension PageKit {
    private static let policy = [
        "default-src 'none'", "style-src 'self'", "script-src 'self'", "img-src 'self' data:", "connect-src 'self'",
        "form-action 'self'", "base-uri 'none'", "frame-ancestors ",
    ].joined(separator: "; ")

    private func policy(_ answer: PageAnswer) -> String {
        let ancestors = answer.isPublicForm ? options.frameAncestors : []
        return Self.policy + (ancestors.isEmpty ? "'none'" : ancestors.joined(separator: " "))
    }

    func finish(_ answer: PageAnswer, for page: PageRequest) -> Response {
        if let relayed = answer.relayed { return relayed }
        var headers = answer.headers
        headers[.contentType] = "text/html; charset=utf-8"
        headers[.contentSecurityPolicy] = policy(answer)
        // Under `no-referrer` browsers would call the origin of our own forms `null`.
        headers[.referrerPolicy] = "same-origin"
        headers[.xContentTypeOptions] = "nosniff"
        // A page has a token of its browser in it.
        if headers[.cacheControl] == nil { headers[.cacheControl] = "no-store" }
        // What is still on its way is not waited for.
        if [408, 413, 415].contains(answer.status.code) { headers[.connection] = "close" }
        var status = answer.status
        if let validator = answer.validator {
            let tag = "W/\"\(Base64URL.encode(Array(SHA256.hash(Array(validator.utf8)).prefix(12))))\""
            headers[.eTag] = tag
            headers[.cacheControl] = "private, no-cache"
            let known = page.request.headers[values: .ifNoneMatch].flatMap { $0.split(separator: ",") }
            if known.contains(where: { $0.trimmingCharacters(in: .whitespaces) == tag }) { status = .notModified }
        }
        headers[.contentLanguage] = page.language.rawValue
        headers[.vary] = "Accept-Encoding, Accept-Language, Cookie"
        headers[values: .setCookie] = page.newCookies.map {
            $0.header(isSecure: options.isSecure, isFramed: options.isSecure && !options.frameAncestors.isEmpty)
        }
        guard status != .notModified else { return Response(status: status, headers: headers) }
        var bytes = ByteBuffer(string: answer.html)
        if Gzip.isTaken(by: page.request.headers), let packed = Gzip.pack(bytes) {
            bytes = packed
            headers[.contentEncoding] = "gzip"
        }
        headers[.contentLength] = String(bytes.readableBytes)
        let body = page.method == .head ? ResponseBody() : ResponseBody(byteBuffer: bytes)
        return Response(status: status, headers: headers, body: body)
    }
}

extension HTTPField.Name {
    // Constants of the standard library's kind.
    static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
}
