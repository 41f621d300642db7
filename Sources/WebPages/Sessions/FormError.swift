import Contract
import HTTPTypes
import StrictJSON

/// The refusal of a form by the API. The page shows the form again with everything that was typed.
struct FormError: Error {
    var status: HTTPResponse.Status
    /// The code of the problem.
    var code: String?
    /// The sentence above the form.
    var alert: String
    /// The message of the first fault of each field, by the field's name in the API.
    var faults: [String: String] = [:]
    /// All faults with their full JSON pointers.
    var errors: [ProblemBody.FaultBody] = []
}

extension HostSession {
    /// Throws if the form was not sent from a page of this service.
    func checkCSRF() throws {
        guard CSRFGuard.admits(page) else {
            throw FormError(status: .forbidden, alert: page.texts("form.open-too-long"))
        }
    }

    /// Sends a change to the API. Throws a `FormError` if the API refuses the input or the state has changed, and
    /// `ConfirmationRequired` if the password has to be confirmed first.
    @discardableResult
    func send(
        _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil, headers: HTTPFields = [:]
    ) async throws -> InnerAPI.CollectedResponse {
        let response = try await page.send(method, path, as: authorization, json: body, headers: headers)
        if let interruption = ConfirmationRequired(response) { throw interruption }
        switch response.status {
        case .badRequest, .forbidden, .conflict, .preconditionFailed, .unprocessableContent, .tooManyRequests:
            throw formError(response)
        default:
            try check(response)
            return response
        }
    }

    private func formError(_ response: InnerAPI.CollectedResponse) -> FormError {
        let (error, texts) = (PageError(response), page.texts)
        let faults = response.problem?.errors ?? []
        let specific = error.code.flatMap { texts.find("refused.\($0)") }
        return FormError(
            status: error.status, code: error.code,
            alert: specific ?? (faults.isEmpty ? page.sentence(error) : texts("refused.look-again")),
            faults: faults.reduce(into: [:]) { all, fault in
                let field = String(fault.pointer.split(separator: "/").first ?? "")
                all[field] = all[field] ?? texts.fault(fault)
            }, errors: faults)
    }
}

extension PageTexts {
    /// The message of a fault in the host's language.
    func fault(_ fault: ProblemBody.FaultBody) -> String {
        find("refused.\(fault.code)") ?? find("fault.\(fault.code)") ?? fault.detail
    }
}
