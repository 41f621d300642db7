import Cryptography
import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport

extension AccessMatrix {
    /// The caller's account and tokens, and administration.
    static let accountsRows: [String: AccessRow] = [
        "GET /v1/sessions": .anyToken(200),
        "DELETE /v1/sessions/{id}": .anyToken(204).preparing(token("session", at: "/sessions/{id}")),
        "GET /v1/tokens": .anyToken(200),
        "POST /v1/tokens": .anyToken(201).sending(
            #"{"name": "A", "scopes": ["meetings:read"], "expiresAt": "\#(RFC3339.format(.now + 86_400))"}"#),
        "DELETE /v1/tokens/{id}": .anyToken(204).preparing(token("api", at: "/tokens/{id}")),
        "GET /v1/me": .anyToken(200),
        "PATCH /v1/me": .anyToken(200).sending(#"{"locale": "de"}"#, headers: ["If-Match": "*"]),
        "GET /v1/me/picture": .anyToken(200).preparing(picture),
        "PUT /v1/me/picture": .anyToken(422).sending("<svg/>", headers: ["Content-Type": "image/png"]),
        "DELETE /v1/me/picture": .anyToken(204).preparing(picture),
        "GET /v1/me/data": .anyToken(200),
        // The only admin cannot delete their account.
        "DELETE /v1/me": AccessRow(401, 204, 204, 204, 204, 409, 401, 204).turn(100),
        "POST /v1/admin/erasures": .admins(200).sending(#"{"email": "nobody@example.org"}"#),
        "GET /v1/invitations": .admins(200),
        "POST /v1/invitations": .admins(201).sending(#"{"note": "for a friend"}"#),
        "DELETE /v1/invitations/{id}": .admins(204).preparing(invitation),
        "GET /v1/admin/accounts": .admins(200),
        "GET /v1/admin/accounts/{id}": .admins(200).preparing(account),
        "PATCH /v1/admin/accounts/{id}": .admins(200).preparing(account)
            .sending(#"{"disabled": true}"#, headers: ["If-Match": "*"]),
        "GET /v1/admin/audit": .admins(200),
        "GET /v1/admin/storage": .admins(200),
    ]

    /// A session or API token of the caller.
    private static func token(_ kind: String, at fragment: String) -> AccessRow.Preparation {
        { stage in
            let id = UUID()
            let owner = stage.principal?.account.id ?? stage.service.fixture.host.account.id
            let scopes = ["meetings:read"]
            try await stage.service.sql(
                """
                INSERT INTO token (id, account_id, kind, scopes, hash, expires_at)
                VALUES (\(id), \(owner), \(kind), \(scopes), \(RandomBytes.make(32)), now() + interval '1 day')
                """)
            return [fragment: fragment.replacing("{id}", with: id.uuidString)]
        }
    }

    private static let picture: AccessRow.Preparation = { stage in
        guard let owner = stage.principal?.account.id else { return [:] }
        let bytes = [UInt8]("a picture".utf8)
        try await stage.service.sql(
            """
            INSERT INTO account_picture (account_id, media_type, bytes, digest)
            VALUES (\(owner), 'image/png', \(bytes), \(SHA256.hash(bytes))) ON CONFLICT DO NOTHING
            """)
        return [:]
    }

    private static let invitation: AccessRow.Preparation = { stage in
        let id = UUID()
        try await stage.service.sql(
            """
            INSERT INTO invitation (id, hash, created_by, expires_at)
            VALUES (\(id), \(RandomBytes.make(32)), \(id), now() + interval '1 day')
            """)
        return ["/invitations/{id}": "/invitations/\(id)"]
    }

    /// An account that no other part of the test uses.
    private static let account: AccessRow.Preparation = { stage in
        let email = "somebody-\(UUID())@example.org"
        let created = try await TestStore.account(email, "Sam Some", .host, in: stage.service.fixture.store)
        return ["/accounts/{id}": "/accounts/\(created.account.id)"]
    }
}
