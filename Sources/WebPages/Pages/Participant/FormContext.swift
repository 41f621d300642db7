import Contract
import Cryptography
import Foundation
import Store

/// The browser that answers a form, and the cookies that it stores for this form only.
struct FormContext {
    /// The receipt of a submission, as stored in a cookie.
    struct Receipt {
        /// The id of the submission.
        var id: String
        var secret: String

        var authorization: String { "Receipt \(secret)" }
    }

    /// The lifetime of a receipt on a device that people may share, in seconds. It is short because the receipt gives
    /// the next person access to the submission.
    private static let sharedLifetime = 600

    let page: PageRequest
    /// The path of the form's page.
    let path: String
    /// The form's path in the API.
    let apiPath: String

    init(_ page: PageRequest) {
        self.page = page
        let typed = page.parameter("code").lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
        // All spellings of a join code have one path, so that its form is cached once.
        let code = (try? ParticipantCode(typed))?.text ?? typed
        path = "/f/\(code)"
        apiPath = "/v1/forms/\(code)"
    }

    // MARK: Who answers

    /// The token of a personal link.
    var person: String? {
        page.newCookies.first { $0.name == .person }?.value ?? page.cookies[.person]
    }

    /// The name under which the browser stores the draft. It differs for each form and for each person with a personal
    /// link.
    var draftName: String {
        guard let person else { return path }
        return path + "-" + Base64URL.encode(Array(SHA256.hash(Array(person.utf8)).prefix(9)))
    }

    /// Stores the token of a personal link. A token that the service cannot have created is ignored.
    func remember(person token: String) {
        guard token.utf8.count <= 200, token.utf8.allSatisfy(Base64URL.isDigit) else { return }
        // Another person in the same browser must not see the previous submission.
        if page.cookies[.person] != token {
            forget()
            if hasWithdrawn { page.newCookies.append(Cookie(name: .withdrawn, value: "", path: path, maxAge: 0)) }
        }
        page.newCookies.append(Cookie(name: .person, value: token, path: path, maxAge: Cookie.year))
    }

    /// The authorization that a once-only form requires; nil for other forms, and if a required personal link is
    /// missing. A browser without a device key gets a new key, for this form only.
    func respondent(_ form: Contract.PublicForm) -> String? {
        switch form.identity {
        case "attendee": person.map { "Respondent \($0)" }
        case "device": "Respondent \(deviceKey)"
        default: nil
        }
    }

    /// The person to whom this browser's personal link belongs; nil for an unknown link.
    func holder(of form: Contract.PublicForm) async throws -> (name: String, hasAnswered: Bool)? {
        guard let person else { return nil }
        return try await page.kit.store.submissions.holder(of: person, code: form.code).map {
            ($0.name, $0.hasAnswered)
        }
    }

    private var deviceKey: String {
        if let known = page.cookies[.device], known.utf8.count == 43 { return known }
        if let new = page.newCookies.first(where: { $0.name == .device }) { return new.value }
        let key = Base64URL.encode(RandomBytes.make(32))
        page.newCookies.append(Cookie(name: .device, value: key, path: path, maxAge: Cookie.year))
        return key
    }

    // MARK: The receipt

    var receipt: Receipt? {
        let value = page.cookies[.receipt] ?? ""
        guard let dot = value.utf8.firstIndex(of: UInt8(ascii: ".")) else { return nil }
        let (id, secret) = (String(value[..<dot]), String(value[value.utf8.index(after: dot)...]))
        guard UUID(uuidString: id) != nil, !secret.isEmpty else { return nil }
        return Receipt(id: id, secret: secret)
    }

    /// The submission's path in the API.
    func submissionPath(_ receipt: Receipt) -> String { "\(apiPath)/submissions/\(receipt.id)" }

    /// Stores the receipt.
    ///
    /// - Parameter isShared: Whether several people may answer in the same browser.
    func remember(_ receipt: Contract.SubmissionReceipt, isShared: Bool) {
        page.newCookies.append(
            Cookie(
                name: .receipt, value: "\(receipt.id).\(receipt.receipt)", path: path,
                maxAge: isShared ? Self.sharedLifetime : Cookie.year))
    }

    func forget() {
        page.newCookies.append(Cookie(name: .receipt, value: "", path: path, maxAge: 0))
    }

    // MARK: A withdrawal

    /// Whether this browser's submission was withdrawn. A once-only form accepts no second submission.
    var hasWithdrawn: Bool { page.cookies[.withdrawn] != nil }

    /// Deletes the receipt, which is no longer valid, and stores that the submission was withdrawn.
    func rememberWithdrawal(isShared: Bool) {
        forget()
        page.newCookies.append(
            Cookie(name: .withdrawn, value: "1", path: path, maxAge: isShared ? Self.sharedLifetime : Cookie.year))
    }
}
