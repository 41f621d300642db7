import Contract
import Foundation
import HTTPTypes

/// The names of accounts and questions on a page; each is requested once.
struct AuditedNames {
    let session: HostSession
    private var known: [String: AdminAccount?] = [:]
    private var forms: [String: [QuestionBody]] = [:]

    init(_ session: HostSession) { self.session = session }

    /// Nil for text that is no id, and for an account that was erased.
    mutating func account(_ id: String) async throws -> AdminAccount? {
        guard UUID(uuidString: id) != nil else { return nil }
        if let account = known[id] { return account }
        let answer = try await session.page.send(.get, "/v1/admin/accounts/\(id)", as: session.authorization)
        let account: AdminAccount? = answer.status == .ok ? try answer.decoded() : nil
        known[id] = .some(account)
        return account
    }

    /// The title of a question; nil if the meeting's form no longer has it.
    mutating func question(_ key: String, of meeting: String) async throws -> String? {
        if forms[meeting] == nil {
            let answer = try await session.page.send(.get, "/v1/meetings/\(meeting)/form", as: session.authorization)
            forms[meeting] = answer.status == .ok ? try answer.decoded(Form.self).definition.questions : []
        }
        return forms[meeting]?.first { $0.key == key }?.title
    }

    /// The id of the account with an address or id; empty for empty text, nil if there is no such account.
    func find(_ typed: String) async throws -> String? {
        let text = typed.trimmingCharacters(in: .whitespaces)
        if text.isEmpty || UUID(uuidString: text) != nil { return text }
        let query = PathQuery([("q", String(text.prefix(200))), ("limit", "200")]).text
        let found: Page<AdminAccount> = try await session.get("/v1/admin/accounts" + query)
        return found.items.first { $0.email.lowercased() == text.lowercased() }.map { "\($0.id)" }
    }
}
