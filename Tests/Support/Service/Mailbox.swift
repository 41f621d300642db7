import Postgres
import Store

/// The mails in a service's outbox.
public struct Mailbox: Sendable {
    public struct Mail: Sendable {
        public var kind: String
        public var recipient: String
        public var subject: String
        public var body: String

        /// The token of the link in the mail; empty if there is none.
        public var token: String {
            guard let start = body.firstRange(of: "?token=")?.upperBound else { return "" }
            return String(body[start...].prefix { !$0.isWhitespace })
        }
    }

    public let service: TestService

    public func mails(to recipient: String) async throws -> [Mail] {
        let rows = try await service.fixture.store.pool.query(
            "SELECT kind, recipient, subject, body FROM outbox WHERE recipient = \(recipient) ORDER BY id")
        return try rows.map { row in
            let (kind, recipient, subject, body) = try row.decode(String.self, String.self, String.self, String.self)
            return Mail(kind: kind, recipient: recipient, subject: subject, body: body)
        }
    }

    /// The token of the newest mail.
    public func token(to recipient: String) async throws -> String {
        guard let mail = try await mails(to: recipient).last, !mail.token.isEmpty else {
            throw TestStore.Missing("a token for \(recipient)")
        }
        return mail.token
    }
}

extension TestService {
    public var mailbox: Mailbox { Mailbox(service: self) }

    public func count(_ statement: Statement) async throws -> Int {
        let rows = try await fixture.store.pool.query(statement)
        guard let row = rows.first else { throw TestStore.Missing("a count") }
        return try row.decode(Int.self)
    }

    public func signUp(
        _ email: String, password: String? = nil, invitation: String? = nil, from client: String? = nil
    ) async throws -> HTTPTestClient.Response {
        let more = [("password", password), ("invitation", invitation)].compactMap { name, value in
            value.map { ", \"\(name)\": \"\($0)\"" }
        }.joined()
        return try await anyone.post(
            "/v1/accounts", json: "{\"email\": \"\(email)\", \"name\": \"Nora New\"\(more)}",
            headers: client.map { ["X-Forwarded-For": $0] } ?? [:])
    }

    public func verify(_ token: String, password: String = "a long password") async throws -> HTTPTestClient.Response {
        try await anyone.post(
            "/v1/accounts/verification", json: "{\"token\": \"\(token)\", \"password\": \"\(password)\"}")
    }

    public func signIn(
        _ email: String, _ password: String, from client: String? = nil
    ) async throws -> HTTPTestClient.Response {
        try await anyone.post(
            "/v1/sessions", json: "{\"email\": \"\(email)\", \"password\": \"\(password)\"}",
            headers: client.map { ["X-Forwarded-For": $0] } ?? [:])
    }
}
