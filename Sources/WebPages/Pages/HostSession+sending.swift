import Contract
import HTTPTypes
import StrictJSON

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
