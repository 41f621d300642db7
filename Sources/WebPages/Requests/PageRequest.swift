import Cryptography
import Foundation
import HTTPAPI
import HTTPServer
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import StrictJSON

/// A request for a page, with its language, cookies, query and form fields.
final class PageRequest {
    let request: Request
    let context: ConnectionContext
    let cookies: Cookies
    let query: FormFields
    let language: Language
    let kit: PageKit
    /// The route's pattern, which contains no secret of the path.
    let pattern: String
    private let parameters: [String: String]
    private(set) var fields = FormFields()
    private(set) var files: [String: ArraySlice<UInt8>] = [:]
    /// Whether the body is larger than the route allows. Then there are no fields and files.
    private(set) var isTooLarge = false
    private var known: HostReader??
    /// The cookies that the response sets.
    var newCookies: [Cookie] = []
    /// Set for a signed-in host.
    var bar: NavigationBar?
    /// For all forms of this page.
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

    /// The other parameters of the query, unchanged, each after `&`.
    func queryBesides(_ name: String) -> String {
        let parts = (request.uri.query ?? "").split(separator: "&").filter { !$0.hasPrefix(name + "=") }
        return parts.map { "&" + $0 }.joined()
    }

    /// The signed-in host's access to the store; nil without a valid session. Looked up once for each request.
    func reader() async throws -> HostReader? {
        if let known { return known }
        guard let token = cookies[.session], !token.isEmpty else { return nil }
        let found = try await HostReader(token: token, in: kit.store)
        known = .some(found)
        return found
    }

    /// Browsers accept HTML. Other clients get the API's response.
    var wantsPage: Bool { (request.headers[.accept] ?? "").contains("text/html") }

    var wantsEvents: Bool { (request.headers[.accept] ?? "").contains("text/event-stream") }

    func parameter(_ name: String) -> String { parameters[name] ?? "" }

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

    /// Reads fields and files; nothing if the form is too large.
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

    /// The body; nil if it is too large. It is then read to the end, up to a limit, because browsers show a response only
    /// after they have sent everything.
    private func read(atMost limit: Int) async throws -> [UInt8]? {
        var bytes: [UInt8] = []
        var count = 0
        do {
            for try await chunk in request.body {
                count += chunk.readableBytes
                guard count <= Self.maxSkipped else { break }
                if count <= limit { bytes.append(contentsOf: chunk.readableBytesView) }
            }
        } catch {
            // The client stopped sending.
            throw PageError(.requestTimeout)
        }
        return count > limit ? nil : bytes
    }

    private static let maxSkipped = 64 * 1024 * 1024

    /// Sends a request to the API.
    func send(
        _ method: HTTPRequest.Method, _ path: String, as authorization: String? = nil, json: JSONValue? = nil,
        headers: HTTPFields = [:], file: ArraySlice<UInt8>? = nil
    ) async throws -> InnerAPI.Answer {
        try await kit.api.send(method, path, for: self, as: authorization, json: json, headers: headers, file: file)
    }
}

extension PageRequest {
    /// A parameter for the API's path, without characters that no path of the API contains.
    func word(_ name: String) -> String { Self.word(parameter(name)) }

    static func word(_ text: String) -> String {
        text.filter { $0.isASCII && ($0.isLetter || $0.isNumber || "_-".contains($0)) }
    }
}

extension FormFields {
    /// A query with those of the named fields that are set, and with others; empty if there are none.
    func passedOn(_ names: [String], and others: KeyValuePairs<String, String> = [:]) -> String {
        let own = names.compactMap { name in self[name].map { (name: name, value: $0) } }
        let all = own + others.map { (name: $0.key, value: $0.value) }
        return PathQuery(all.filter { !$0.value.isEmpty }).text
    }
}

/// The idempotency key of a form, so that a double click applies it once.
enum SubmitToken {
    static func make() -> String { Base64URL.encode(RandomBytes.make(24)) }

    /// The key in the form; a new one if it is missing or not valid.
    static func given(_ page: PageRequest) -> String {
        guard let key = page.fields["key"], (16...255).contains(key.utf8.count), key.utf8.allSatisfy(Base64URL.isDigit)
        else { return make() }
        return key
    }
}
