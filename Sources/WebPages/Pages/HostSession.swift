import Contract
import Foundation
import HTTPAPI
import HTTPTypes
import StrictJSON

/// Somebody who is signed in, by the token in a cookie that only this service reads.
struct HostSession {
    static let cookie = CookieName.session

    /// With which a browser stays signed in as long as the session is good.
    static func cookie(of session: Session) -> Cookie {
        Cookie(name: cookie, value: session.token, path: "/", life: 30 * 86_400)
    }

    let page: PageRequest
    let authorization: String

    /// Leads to the sign-in, and from there back to where they wanted to go.
    init(_ page: PageRequest) throws {
        guard let token = page.cookies[Self.cookie], !token.isEmpty else {
            throw PageRedirect(to: "/sign-in?next=" + Self.encoded(page.method == .get ? page.path : "/home"))
        }
        (self.page, authorization) = (page, "Bearer \(token)")
    }

    /// What they may read; leads to the sign-in if the session has ended.
    func reader() async throws -> HostReader {
        guard let reader = try await page.reader() else {
            throw PageRedirect(to: "/sign-in?next=" + Self.encoded(page.path))
        }
        return reader
    }

    /// An answer of the API that is as it should be.
    func get<Value: Decodable>(_ path: String, _ type: Value.Type = Value.self) async throws -> Value {
        let answer = try await page.ask(.get, path, as: authorization)
        try check(answer)
        return try answer.decoded(type)
    }

    /// Whether they may invite others to make an account.
    func isAdmin() async throws -> Bool {
        try await reader().isAdmin
    }

    /// Whether they may change what belongs to a series; a viewer only looks.
    func canEdit(_ seriesID: ResourceID) async throws -> Bool {
        try await reader().series(seriesID).series.role != "viewer"
    }

    /// Throws what the API would answer to a change.
    func requireEditor(of meeting: Meeting) async throws {
        guard try await canEdit(meeting.seriesId) else { throw PageError(.forbidden, code: "forbidden") }
    }

    /// A session that has ended leads to the sign-in, anything else that is wrong to its page.
    func check(_ answer: InnerAPI.Answer) throws {
        guard answer.status != .unauthorized else {
            throw PageRedirect(to: "/sign-in?next=" + Self.encoded(page.path))
        }
        guard (200..<300).contains(answer.status.code) else { throw PageError(answer) }
    }

    /// Only addresses of our own, so that nobody is led elsewhere by a link: none that a browser would read as
    /// another host's, be it after it has gone up by its dots.
    static func ownPath(_ path: String?) -> String {
        guard let path, path.hasPrefix("/"), !path.contains("\\"), path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return "/home" }
        let parts = path.prefix { !"?#".contains($0) }.split(separator: "/", omittingEmptySubsequences: false)
            .map { $0.lowercased().replacing("%2e", with: ".") }
        let isPlain = !parts.dropFirst().dropLast().contains("") && !parts.contains { $0 == "." || $0 == ".." }
        return isPlain ? path : "/home"
    }

    private static func encoded(_ path: String) -> String {
        path.replacing("%", with: "%25").replacing("&", with: "%26").replacing("+", with: "%2B")
    }
}

/// There is no page here, but at another address.
struct PageRedirect: Error {
    let path: String

    init(to path: String) { self.path = path }
}

/// What was not taken, in the words of the page that shows it again with all that was typed.
struct FormError: Error {
    var status: HTTPResponse.Status
    /// The service's word for it.
    var code: String?
    var alert: String
    /// What is wrong, by the field that the API names.
    var faults: [String: String] = [:]
    /// The same as the API said it, with whole pointers.
    var errors: [ProblemBody.FaultBody] = []

    /// As templates know them: `alert`, and `nameFault` for the field `name`.
    func add(to values: inout [String: Any]) {
        values["alert"] = alert
        for (field, fault) in faults { values["\(field)Fault"] = fault }
    }
}

extension HostSession {
    /// Throws a refusal where a form was not sent from our own page.
    func checkOrigin() throws {
        guard CSRFGuard.admits(page) else {
            throw FormError(status: .forbidden, alert: page.texts("form.open-too-long"))
        }
    }

    /// Asks the API to do something; what it refuses because of what was typed, or of what stands now, is a `Refusal`.
    @discardableResult
    func send(
        _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil, headers: HTTPFields = [:]
    ) async throws -> InnerAPI.Answer {
        let answer = try await page.ask(method, path, as: authorization, json: body, headers: headers)
        switch answer.status {
        case .badRequest, .forbidden, .conflict, .preconditionFailed, .unprocessableContent, .tooManyRequests:
            throw refusal(answer)
        default:
            try check(answer)
            return answer
        }
    }

    private func refusal(_ answer: InnerAPI.Answer) -> FormError {
        let (trouble, texts) = (PageError(answer), page.texts)
        let faults = answer.problem?.errors ?? []
        let known = trouble.code.flatMap { texts.find("refused.\($0)") }
        return FormError(
            status: trouble.status, code: trouble.code,
            alert: known ?? (faults.isEmpty ? page.sentence(trouble) : texts("refused.look-again")),
            faults: faults.reduce(into: [:]) { all, fault in
                let field = String(fault.pointer.split(separator: "/").first ?? "")
                all[field] = all[field] ?? texts.fault(fault)
            }, errors: faults)
    }
}

extension PageTexts {
    /// What is wrong with something that a host has typed.
    func fault(_ fault: ProblemBody.FaultBody) -> String {
        find("refused.\(fault.code)") ?? find("fault.\(fault.code)") ?? fault.detail
    }
}
