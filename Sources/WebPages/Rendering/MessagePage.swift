import HTTPTypes

/// A page with one sentence: an error, or the result of an action.
struct MessagePage: PageModel {
    static let template = "message"
    var title: String
    var text: String
    /// The address of the sign-in page, if signing in is the next step.
    var signIn: String?
}

extension PageRequest {
    /// An error page in the visitor's language.
    func errorPage(_ error: PageError) -> PageResponse {
        let specific = error.code.flatMap { texts.find("problem.\($0)") }
        let general = texts.find("problem.status-\(error.status.code)") ?? texts("problem.other")
        var response = page(
            MessagePage(title: specific ?? general, text: specific == nil ? detail(of: error) ?? "" : ""),
            status: error.status)
        response.headers[.retryAfter] = error.retryAfter
        response.headers[.allow] = error.allow
        return response
    }

    /// The detail in the visitor's language, if there is one. The API's own details are in English.
    private func detail(of error: PageError) -> String? {
        if error.code == "forbidden" {
            if path.hasPrefix("/admin") { return texts("problem.forbidden-admins") }
            if path.hasPrefix("/meetings") || path.hasPrefix("/series") { return texts("problem.forbidden-hosts") }
        }
        return error.code == nil || language == .english ? error.detail : nil
    }
}
