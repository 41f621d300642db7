import Contract
import Domain
import Foundation
import HTTPTypes
import Store
import StrictJSON

/// Administration of accounts, and the audit trail.
struct AdminRoutes: Sendable {
    let store: Store

    var routes: [Route] {
        let account = "/v1/admin/accounts/{id}"
        return [
            Route(
                .get, "/v1/admin/accounts", access: .admin(.admin), query: ["q", "state", "limit", "cursor"],
                handler: accounts),
            Route(.get, account, access: .admin(.admin), handler: self.account),
            Route(.patch, account, access: .admin(.admin), accepts: .json(), handler: change),
            Route(
                .get, "/v1/admin/audit", access: .admin(.admin),
                query: ["account", "subject", "act", "from", "to", "limit", "cursor"], handler: audit),
        ]
    }

    private func accounts(_ request: APIRequest) async throws -> APIResponse {
        let query = try request.query { reader in
            AccountQuery(
                state: reader.choice("state"), searchText: reader.searchText("q"),
                after: reader.cursor(Cursor.account), limit: reader.limit())
        }
        var wanted = query
        wanted.limit += 1
        let found = try await store.accounts.list(wanted)
        return try .page(found, limit: query.limit, after: Cursor.after) { AdminAccount($0) }
    }

    private func account(_ request: APIRequest) async throws -> APIResponse {
        let profile = try await store.profiles.require(request.uuid("id"))
        return try .tagged(AdminAccount(profile), revision: profile.revision).unstored
    }

    private func change(_ request: APIRequest) async throws -> APIResponse {
        let principal = try request.requireRecentCaller()
        let id = try request.uuid("id")
        let known = try await store.profiles.require(id)
        guard known.deletedAt == nil else { throw Problem(.notFound) }
        try request.requireMatch(revision: known.revision)
        let reader = ObjectReader(try await request.document().json())
        let role = reader.word(Account.Role.self, "role")
        let disabled = reader.bool("disabled")
        for name in ["role", "disabled"] where reader.isNull(name) {
            reader.fault(at: name, code: "required", "This cannot be empty.")
        }
        try reader.requireNoFaults()
        let changed = try await store.accounts.change(
            id, role: role, disabled: disabled, by: principal
        ) { current in
            try request.requireMatch(revision: current.revision)
        }
        return try .tagged(AdminAccount(changed), revision: changed.revision).unstored
    }

    private func audit(_ request: APIRequest) async throws -> APIResponse {
        let query = try request.query { reader in
            var query = AuditQuery()
            query.accountID = reader.uuid("account")
            query.subjectID = reader.uuid("subject")
            query.action = reader.searchText("act")
            query.from = reader.dateOrInstant("from")
            query.to = reader.dateOrInstant("to")
            query.limit = reader.limit()
            query.after = reader.cursor(Cursor.audit)
            return query
        }
        var wanted = query
        wanted.limit += 1
        let found = try await store.auditTrail.list(wanted)
        return try .page(found, limit: query.limit, after: Cursor.after) { Contract.AuditEntry($0) }
    }
}

extension QueryReader {
    mutating func uuid(_ name: String) -> UUID? {
        guard let text = string(name) else { return nil }
        guard let id = UUID(uuidString: text) else {
            refuse(name, "invalid-id", "An id is expected here.")
            return nil
        }
        return id
    }

    /// A search text of at most 200 characters; `nil` if it is missing or empty.
    mutating func searchText(_ name: String) -> String? {
        guard let text = string(name), !text.isEmpty else { return nil }
        guard text.count <= 200, !text.contains("\0") else {
            refuse(name, "too-long", "At most 200 characters are allowed.")
            return nil
        }
        return text
    }
}
