import Contract
import Cryptography
import Foundation
import HTTPTypes

/// A browser that answers a form, with the cookies that it keeps for this form alone.
struct FormContext {
    struct Receipt {
        var id: String
        var secret: String

        var authorization: String { "Receipt \(secret)" }
    }

    /// In seconds. On a shared device the next person must not find the submission for long.
    private static let sharedLife = 600

    let page: PageRequest
    let path: String
    /// The form's path in the API.
    let source: String

    init(_ page: PageRequest) {
        self.page = page
        let code = page.parameter("code").lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
        path = "/f/\(code)"
        source = "/v1/forms/\(code)"
    }

    func form() async throws -> PublicForm {
        let answer = try await page.send(.get, source)
        guard answer.status == .ok else { throw PageError(answer) }
        return try answer.decoded()
    }

    // MARK: Who answers

    /// The token of a personal link.
    var person: String? {
        page.newCookies.first { $0.name == .person }?.value ?? page.cookies[.person]
    }

    /// The key of the draft in the browser, for this form and the person of a personal link.
    var draft: String {
        guard let person else { return path }
        return path + "-" + Base64URL.encode(Array(SHA256.hash(Array(person.utf8)).prefix(9)))
    }

    func remember(person token: String) {
        guard token.utf8.count <= 200, token.utf8.allSatisfy(Base64URL.isDigit) else { return }
        // Another person in the same browser must not see the previous submission.
        if page.cookies[.person] != token {
            forget()
            forgetWithdrawal()
        }
        page.newCookies.append(Cookie(name: .person, value: token, path: path, life: Cookie.year))
    }

    /// The authorization of a once-only form; the browser gets a device key for this form alone.
    func respondent(_ form: PublicForm) -> String? {
        switch form.identity {
        case "attendee": person.map { "Respondent \($0)" }
        case "device": "Respondent \(device)"
        default: nil
        }
    }

    private var device: String {
        if let known = page.cookies[.device], known.utf8.count == 43 { return known }
        if let new = page.newCookies.first(where: { $0.name == .device }) { return new.value }
        let key = Base64URL.encode(RandomBytes.make(32))
        page.newCookies.append(Cookie(name: .device, value: key, path: path, life: Cookie.year))
        return key
    }

    /// Sets the device key before the first submission, so that two concurrent submissions have the same one.
    func prepare(_ form: PublicForm) { if form.identity == "device" { _ = device } }

    // MARK: The receipt

    var receipt: Receipt? {
        let parts = (page.cookies[.receipt] ?? "").split(separator: ".", maxSplits: 1)
        guard parts.count == 2, UUID(uuidString: String(parts[0])) != nil else { return nil }
        return Receipt(id: String(parts[0]), secret: String(parts[1]))
    }

    func submission(_ receipt: Receipt) -> String { "\(source)/submissions/\(receipt.id)" }

    func remember(_ receipt: SubmissionReceipt, isShared: Bool) {
        page.newCookies.append(
            Cookie(
                name: .receipt, value: "\(receipt.id).\(receipt.receipt)", path: path,
                life: isShared ? Self.sharedLife : Cookie.year))
    }

    func forget() {
        page.newCookies.append(Cookie(name: .receipt, value: "", path: path, life: 0))
    }

    // MARK: A withdrawal

    /// Whether this browser's submission was withdrawn. A once-only form accepts no second one.
    var hasWithdrawn: Bool { page.cookies[.withdrawn] != nil }

    /// Replaces the receipt, which is no longer valid.
    func rememberWithdrawal(isShared: Bool) {
        forget()
        page.newCookies.append(
            Cookie(name: .withdrawn, value: "1", path: path, life: isShared ? Self.sharedLife : Cookie.year))
    }

    private func forgetWithdrawal() {
        guard hasWithdrawn else { return }
        page.newCookies.append(Cookie(name: .withdrawn, value: "", path: path, life: 0))
    }
}
