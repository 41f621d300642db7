import Contract
import Cryptography
import Domain
import Foundation
import HTTPAPI
import HTTPServer
import HTTPTypes
import HummingbirdCore
import NIOCore
import StrictJSON

/// A request for a page, with its language, cookies, query and form fields.
final class PageRequest {
    /// The id of this request in `X-Request-Id` and in the log. The page's requests to the API have the same id.
    let requestID = RequestID.make()
    let request: Request
    let context: ConnectionContext
    let cookies: Cookies
    let query: FormFields
    let language: Language
    let kit: PageKit
    /// The route's pattern. Unlike the path, it contains no secret and can be logged.
    let pattern: String
    private let parameters: [String: String]
    private(set) var fields = FormFields()
    private(set) var files: [String: ArraySlice<UInt8>] = [:]
    private(set) var fileNames: [String: String] = [:]
    /// Whether the body of a form with files is larger than the route allows. The request then has no fields or files.
    private(set) var isTooLarge = false
    /// Whether the fields are so large that a page with them takes long to make.
    private(set) var hasLargeBody = false
    /// The result of `reader()`, once it was looked up.
    private var cachedReader: HostReader??
    /// The cookies that the response sets.
    var newCookies: [Cookie] = []
    /// The navigation bar, for a signed-in host.
    var bar: NavigationBar?
    /// The organisation's look, which the layout shows.
    var look = OrganisationLook.none
    /// The CSRF token of all forms of this page.
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
        query = FormFields(query: request.uri.query ?? "")
        let requested = query["lang"].flatMap(Language.init(rawValue:))
        let remembered = cookies[.lang].flatMap(Language.init(rawValue:))
        language = requested ?? remembered ?? Language(accepting: request.headers[.acceptLanguage])
        if let requested, requested != remembered {
            newCookies.append(Cookie(name: .lang, value: requested.rawValue, path: "/", maxAge: Cookie.year))
        }
    }

    var method: HTTPRequest.Method { request.method }
    var path: String { request.uri.path }
    var hasQuery: Bool { request.uri.query != nil }
    var texts: PageTexts { kit.texts(language) }

    /// The first parameters of the query except one, unchanged, each preceded by `&`.
    func querySuffix(excluding name: String) -> String {
        let count = FormFields.maxCountInQuery
        let parts = (request.uri.query ?? "").utf8.split(separator: UInt8(ascii: "&"), maxSplits: count).prefix(count)
        return parts.filter { !$0.starts(with: (name + "=").utf8) }.map { "&\(Substring($0))" }.joined()
    }

    /// The signed-in host's access to the store. Nil without a valid session. It is looked up once for each request.
    func reader() async throws -> HostReader? {
        if let cachedReader { return cachedReader }
        guard let token = cookies[.session], !token.isEmpty else { return nil }
        let reader = try await HostReader(token: token, in: kit.store, cache: kit.hostCache)
        cachedReader = .some(reader)
        return reader
    }

    /// Whether the client accepts HTML, as browsers do. Other clients get the API's response for a path without a page.
    var wantsPage: Bool { accepts("text/html") }

    var wantsEvents: Bool { accepts("text/event-stream") }

    private func accepts(_ type: String) -> Bool {
        PreferenceList.read(request.headers[.accept])?.contains(type) ?? false
    }

    /// A parameter of the route's pattern, percent-decoded.
    func parameter(_ name: String) -> String { parameters[name] ?? "" }

    /// Reads the fields of a form. Throws an error page if the body is too large or of another type.
    ///
    /// - Parameters:
    ///   - limit: The largest body in bytes.
    ///   - count: The largest number of fields.
    func readFields(atMost limit: Int, fields count: Int) async throws {
        let type = request.headers[.contentType] ?? ""
        guard type.hasPrefix("application/x-www-form-urlencoded") else {
            throw PageError(.unsupportedMediaType)
        }
        guard let bytes = try await read(atMost: limit) else {
            throw PageError(.contentTooLarge, detail: texts("problem.still-there"))
        }
        hasLargeBody = bytes.count >= 64 << 10
        let fields = try await kit.largePages.make(isLarge: hasLargeBody, for: self) {
            FormFields(bytes, atMost: count)
        }
        guard let fields else { throw PageError(.contentTooLarge, detail: texts("problem.still-there")) }
        guard !fields.hasTooManyMarks else { throw PageError(.badRequest, code: "too-many-marks") }
        self.fields = fields
    }

    /// Reads the fields and files of a form. If the form is too large, only `isTooLarge` is set.
    func readFiles(atMost limit: Int) async throws {
        guard let bytes = try await read(atMost: limit) else {
            isTooLarge = true
            return
        }
        guard let form = UploadedForm(bytes, type: request.headers[.contentType] ?? "") else {
            throw PageError(.unsupportedMediaType)
        }
        guard !form.fields.hasTooManyMarks else { throw PageError(.badRequest, code: "too-many-marks") }
        (fields, files, fileNames) = (form.fields, form.files, form.fileNames)
    }

    /// The body, or nil if it is larger than the limit. A larger body is read to its end, but at most
    /// `maxDiscardedBytes` bytes of it, because browsers show a response only after they have sent everything.
    private func read(atMost limit: Int) async throws -> [UInt8]? {
        var bytes: [UInt8] = []
        var count = 0
        do {
            for try await chunk in request.body {
                count += chunk.readableBytes
                guard count <= Self.maxDiscardedBytes else { break }
                guard count <= limit else { continue }
                bytes.append(contentsOf: chunk.readableBytesView)
            }
        } catch is MemoryBudget.Exceeded {
            throw PageError(Problem(.overloaded, retryAfter: 1))
        } catch {
            // The client stopped sending.
            throw PageError(.requestTimeout)
        }
        return count > limit ? nil : bytes
    }

    private static let maxDiscardedBytes = 128 * 1024 * 1024

    /// Sends a request to the API.
    func send(
        _ method: HTTPRequest.Method, _ path: String, as authorization: String? = nil, json: JSONValue? = nil,
        headers: HTTPFields = [:], file: ArraySlice<UInt8>? = nil
    ) async throws -> InnerAPI.CollectedResponse {
        try await kit.api.send(method, path, for: self, as: authorization, json: json, headers: headers, file: file)
    }

    /// Sends a request to the API without a session and decodes the response. Throws a `PageError` for any status other
    /// than 200.
    func get<Value: Decodable>(_ path: String) async throws -> Value {
        let response = try await send(.get, path)
        guard response.status == .ok else { throw PageError(response) }
        return try response.decoded()
    }
}

extension PageRequest {
    /// The parameter `id`: the id of a meeting or a series.
    func id() throws -> ResourceID {
        guard let id = ResourceID(parameter("id")) else { throw PageError.notFound }
        return id
    }

    /// A parameter of the path as a component of an API path.
    func safeParameter(_ name: String) -> String { Self.pathSafe(parameter(name)) }

    /// The parameter `file`, the name of a file, as a component of an API path.
    var safeFileName: String {
        let parts = parameter("file").split(separator: ".", omittingEmptySubsequences: false)
        return parts.map { Self.pathSafe(String($0)) }.joined(separator: ".")
    }

    /// Removes all characters that no id or code contains, so that the text can be a component of an API path.
    static func pathSafe(_ text: String) -> String {
        text.filter { $0.isASCII && ($0.isLetter || $0.isNumber || "_-".contains($0)) }
    }
}

extension FormFields {
    /// A query string, with its question mark, of the named fields and the additional ones. Empty fields are left out.
    /// The query string is empty if no field remains.
    func queryString(keeping names: [String], adding others: KeyValuePairs<String, String> = [:]) -> String {
        let kept = names.compactMap { name in self[name].map { (name: name, value: $0) } }
        let all = kept + others.map { (name: $0.key, value: $0.value) }
        return PathQuery(all.filter { !$0.value.isEmpty }).text
    }
}

/// The idempotency key of a form, so that a double click applies the form only once.
enum SubmitToken {
    static func make() -> String { Base64URL.encode(RandomBytes.make(24)) }

    /// The key that the form sent, or a new one if it is missing or invalid.
    static func given(_ fields: FormFields) -> String {
        guard let key = fields["key"], (16...255).contains(key.utf8.count), key.utf8.allSatisfy(Base64URL.isDigit)
        else { return make() }
        return key
    }
}
