import Foundation
import Postgres
import Store
import TestSupport

extension AccessMatrix {
    /// Saved templates. `SavedTemplateManagement` tests that only the owner and admins change one.
    static let templatesRows: [String: AccessRow] = [
        "GET /v1/templates": .signedIn(200),
        "POST /v1/templates": .signedIn(201).sending(#"{"name": "Retro", "definition": {"questions": []}}"#),
        "GET /v1/templates/{id}": .signedIn(200).preparing(template),
        "PATCH /v1/templates/{id}": .signedIn(200).sending(#"{"name": "Our retro"}"#).preparing(template),
        "DELETE /v1/templates/{id}": .signedIn(204).preparing(template),
    ]

    /// A template of the caller.
    private static let template: AccessRow.Preparation = { stage in
        let id = UUID()
        let owner = stage.principal?.account.id ?? stage.service.fixture.host.account.id
        try await stage.service.sql(
            """
            INSERT INTO saved_template (id, owner_id, name, definition) VALUES (\(id), \(owner), 'Retro', '{"questions": []}')
            """)
        return ["/templates/{id}": "/templates/\(id)"]
    }
}
