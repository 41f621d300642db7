import Cryptography
import Foundation
import HTTPAPI
import HTTPServer
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import StrictJSON

/// A request for a page: who asks in which language, with which cookies, and what a form was filled in with.
final class PageRequest {
    let request: Request
    let context: ConnectionContext
    let cookies: Cookies
    let query: FormFields
    let language: Language
    let kit: PageKit
    /// The address as its route names it, without what may be secret in it.
    let pattern: String
    private let parameters: [String: String]
    /// What a POST brought.
    private(set) var fields = FormFields()
    private(set) var files: [String: ArraySlice<UInt8>] = [:]
    /// Whether it brought more than the route takes: then nothing of it is known.
    private(set) var isTooLarge = false
    private var known: HostReader??
    /// To be set with the answer.
    var newCookies: [Cookie] = []
    /// Above the page, for whoever is signed in.
    var bar: NavigationBar?
    /// For the forms of this page; made with the first of them.
    private(set) lazy var csrfToken = CSRFGuard.token(for: self)

    init(
        _ request: Request, _ context: ConnectionContext, pattern: String = "", parameters: [String: String],
        _ kit: PageKit
    ) {
        self.request = request
        self.context = context
        self.pattern = pattern
        self.parameters = parameters
        self.kit = kit
        cookies = Cookies(request.headers[values: .cookie], isSecure: kit.options.isSecure)
        query = FormFields((request.uri.query ?? "").replacing("%00", with: ""))
        let asked = query["lang"].flatMap(Language.init(rawValue:))
        let remembered = cookies[.lang].flatMap(Language.init(rawValue:))
        language = asked ?? remembered ?? Language(accepting: request.headers[.acceptLanguage])
        if let asked, asked != remembered {
            newCookies.append(Cookie(name: .lang, value: asked.rawValue, path: "/", life: Cookie.year))
        }
    }

    var method: HTTPRequest.Method { request.method }
    var path: String { request.uri.path }
    var texts: PageTexts { kit.texts(language) }

    /// The query as it came, without one of its names; with a `&` in front if there is any.
    func queryBesides(_ name: String) -> String {
        let parts = (request.uri.query ?? "").split(separator: "&").filter { !$0.hasPrefix(name + "=") }
        return parts.map { "&" + $0 }.joined()
    }

    /// What the signed-in host may read; nil without a valid session. Found once for each request.
    func reader() async throws -> HostReader? {
        if let known { return known }
        guard let token = cookies[.session], !token.isEmpty else { return nil }
        let found = try await HostReader(token: token, in: kit.store)
        known = .some(found)
        return found
    }

    /// A browser asks for HTML; whoever does not gets what the API says.
    var wantsPage: Bool { (request.headers[.accept] ?? "").contains("text/html") }

    var wantsEvents: Bool { (request.headers[.accept] ?? "").contains("text/event-stream") }

    func parameter(_ name: String) -> String { parameters[name] ?? "" }

    /// The fields of a form.
    func readFields(atMost limit: Int) async throws {
        let type = request.headers[.contentType] ?? ""
        guard type.hasPrefix("application/x-www-form-urlencoded") else {
            throw PageError(.unsupportedMediaType)
        }
        guard let bytes = try await read(atMost: limit) else {
            throw PageError(.contentTooLarge, detail: texts("problem.still-there"))
        }
        fields = FormFields(String(decoding: bytes, as: UTF8.self))
    }

    /// The fields and files of a form; of one that is too large nothing.
    func readFiles(atMost limit: Int) async throws {
        guard let bytes = try await read(atMost: limit) else {
            isTooLarge = true
            return
        }
        guard let form = UploadedForm(bytes, type: request.headers[.contentType] ?? "") else {
            throw PageError(.unsupportedMediaType)
        }
        (fields, files) = (form.fields, form.files)
    }

    /// What came with a POST; nil if it is too large. Then it is taken to its end all the same, within reason, since a
    /// browser shows an answer only once it has sent everything.
    private func read(atMost limit: Int) async throws -> [UInt8]? {
        var bytes: [UInt8] = []
        var count = 0
        do {
            for try await chunk in request.body {
                count += chunk.readableBytes
                guard count <= Self.mostSkipped else { break }
                if count <= limit { bytes.append(contentsOf: chunk.readableBytesView) }
            }
        } catch {
            // It stopped on its way.
            throw PageError(.requestTimeout)
        }
        return count > limit ? nil : bytes
    }

    private static let mostSkipped = 64 * 1024 * 1024

    /// Asks the API as whoever asks for the page.
    func ask(
        _ method: HTTPRequest.Method, _ path: String, as authorization: String? = nil, json: JSONValue? = nil,
        headers: HTTPFields = [:], file: ArraySlice<UInt8>? = nil
    ) async throws -> InnerAPI.Answer {
        try await kit.api.ask(method, path, for: self, as: authorization, json: json, headers: headers, file: file)
    }
}

/// Why there is no page as it was asked for.
struct PageError: Error {
    var status: HTTPResponse.Status
    /// The service's word for it, if there is one.
    var code: String?
    var detail: String?
    var retryAfter: String?
    var allow: String?

    static let notFound = PageError(.notFound, code: "not-found")

    init(_ status: HTTPResponse.Status, code: String? = nil, detail: String? = nil) {
        (self.status, self.code, self.detail) = (status, code, detail)
    }
}

extension PageRequest {
    /// A parameter that becomes part of the API's path: whatever cannot stand there stands in no address of ours.
    func word(_ name: String) -> String { Self.word(parameter(name)) }

    static func word(_ text: String) -> String {
        text.filter { $0.isASCII && ($0.isLetter || $0.isNumber || "_-".contains($0)) }
    }
}

extension FormFields {
    /// A query with those of these that are there, and with others; empty without any.
    func passedOn(_ names: [String], and others: KeyValuePairs<String, String> = [:]) -> String {
        let own = names.compactMap { name in self[name].map { (name: name, value: $0) } }
        let all = own + others.map { (name: $0.key, value: $0.value) }
        return PathQuery(all.filter { !$0.value.isEmpty }).text
    }
}

/// What makes a button that is pressed twice one press.
enum SubmitToken {
    static func make() -> String { Base64URL.encode(RandomBytes.make(24)) }

    /// That of a form, or a new one where there is none that can be one.
    static func given(_ page: PageRequest) -> String {
        guard let key = page.fields["key"], (16...255).contains(key.utf8.count), key.utf8.allSatisfy(Base64URL.isDigit)
        else { return make() }
        return key
    }
}
