import Contract
import Foundation
import HTTPTypes

/// Reads the names of accounts and questions for one page. Each account and each form is requested from the API only
/// once.
struct AuditedNames {
    let session: HostSession
    /// The accounts that were requested, by id; nil for an id without an account.
    private var accounts: [String: AdminAccount?] = [:]
    /// The questions of the forms that were requested, by the id of the meeting.
    private var questions: [String: [QuestionBody]] = [:]

    init(_ session: HostSession) { self.session = session }

    /// The account with an id. Nil for text that is not an id, and for an account that no longer exists.
    mutating func account(_ id: String) async throws -> AdminAccount? {
        guard UUID(uuidString: id) != nil else { return nil }
        if let account = accounts[id] { return account }
        let response = try await session.page.send(.get, "/v1/admin/accounts/\(id)", as: session.authorization)
        let account: AdminAccount? = response.status == .ok ? try response.decoded() : nil
        accounts[id] = .some(account)
        return account
    }

    /// The title of a question; nil if the meeting's form no longer has it or cannot be read.
    mutating func question(_ key: String, of meeting: String) async throws -> String? {
        if questions[meeting] == nil {
            let response = try await session.page.send(.get, "/v1/meetings/\(meeting)/form", as: session.authorization)
            questions[meeting] =
                response.status == .ok ? try response.decoded(Form.self).definition.questions.expanded : []
        }
        return questions[meeting]?.first { $0.key == key }?.title
    }

    /// The id of the account with the typed address. A typed id is returned unchecked, and empty text stays empty. Nil
    /// if no account has the address.
    func id(of typed: String) async throws -> String? {
        let address = typed.trimmingCharacters(in: .whitespaces)
        if address.isEmpty || UUID(uuidString: address) != nil { return address }
        let query = PathQuery([("q", String(address.prefix(200))), ("limit", "200")]).text
        let matches: Page<AdminAccount> = try await session.get("/v1/admin/accounts" + query)
        return matches.items.first { $0.email.lowercased() == address.lowercased() }.map { "\($0.id)" }
    }
}
