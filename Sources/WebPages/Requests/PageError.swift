import Contract
import Domain
import HTTPAPI
import HTTPTypes

/// An error that is shown as a page.
struct PageError: Error {
    var status: HTTPResponse.Status
    /// The code of the problem, if there is one.
    var code: String?
    var detail: String?
    /// The value of `Retry-After`.
    var retryAfter: String?
    /// The value of `Allow`, for a method that the page does not support.
    var allow: String?

    static let notFound = PageError(.notFound, code: "not-found")

    init(_ status: HTTPResponse.Status, code: String? = nil, detail: String? = nil) {
        (self.status, self.code, self.detail) = (status, code, detail)
    }

    init(_ problem: Problem) {
        self.init(
            HTTPResponse.Status(code: problem.code.status), code: problem.code.rawValue, detail: problem.sentence)
        if [429, 503].contains(problem.code.status) { retryAfter = String(problem.retryAfter ?? 1) }
    }

    init(_ response: InnerAPI.CollectedResponse) {
        let problem = response.problem
        self.init(response.status, code: problem?.code, detail: problem?.detail)
        retryAfter = response.headers[.retryAfter]
    }
}

/// Ends the handling of a request with a redirect.
struct PageRedirect: Error {
    let path: String
}

extension PageRequest {
    /// A sentence about the error in the visitor's language.
    func sentence(_ error: PageError) -> String {
        if let text = error.code.flatMap({ texts.find("problem.\($0)") }) { return text }
        // The API's own details are in English.
        let isReadable = error.code == nil || language == .english
        return isReadable ? error.detail ?? texts("problem.other") : texts("problem.other")
    }
}
