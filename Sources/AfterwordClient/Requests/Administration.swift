import Contract
import Foundation
import StrictJSON

extension Endpoint {
    static let listInvitations = Endpoint("GET", "/v1/invitations")
    static let createInvitation = Endpoint("POST", "/v1/invitations", .keyed)
    static let revokeInvitation = Endpoint("DELETE", "/v1/invitations/{id}")
    static let listAccounts = Endpoint("GET", "/v1/admin/accounts")
    static let getAccount = Endpoint("GET", "/v1/admin/accounts/{id}")
    static let editAccount = Endpoint("PATCH", "/v1/admin/accounts/{id}")
    static let listAudit = Endpoint("GET", "/v1/admin/audit")
    static let getStorage = Endpoint("GET", "/v1/admin/storage")
    static let erase = Endpoint("POST", "/v1/admin/erasures")

    static let administration = [
        listInvitations, createInvitation, revokeInvitation, listAccounts, getAccount, editAccount, listAudit,
        getStorage, erase,
    ]
}

/// The account state that a list is filtered by.
public enum AccountState: String, Sendable, CaseIterable {
    case active, disabled, deleted
}

extension Afterword.Host {
    /// Invitations to sign up, newest first. Admins only.
    public func invitations() -> Pages<Invitation> {
        pages(.listInvitations)
    }

    /// Creates an invitation. If the request names an address, the invitation is mailed to it. Admins only.
    ///
    /// The service sends `code` only once. It is nil if the first response was lost and the call was retried.
    public func createInvitation(
        _ invitation: InvitationRequest = InvitationRequest(), key: IdempotencyKey? = nil
    ) async throws -> Invitation {
        try await call(.createInvitation, body: .json(invitation), key: key).value()
    }

    public func revokeInvitation(_ id: ResourceID) async throws {
        _ = try await call(.revokeInvitation, id)
    }

    /// All accounts of the service. Admins only.
    ///
    /// - Parameters:
    ///   - state: Only accounts in this state. All accounts if nil.
    ///   - query: Only accounts whose name or address contains this text.
    public func accounts(state: AccountState? = nil, query: String? = nil) -> Pages<AdminAccount> {
        pages(.listAccounts, query: ["q": query, "state": state?.rawValue])
    }

    public func account(_ id: ResourceID) async throws -> Tagged<AdminAccount> {
        try await call(.getAccount, id).tagged()
    }

    /// Changes the role of an account, or disables or enables it. Admins only.
    @discardableResult
    public func edit(
        _ account: Tagged<AdminAccount>, _ edit: AdminAccountEdit
    ) async throws -> Tagged<AdminAccount> {
        try await editAccount(account.value.id, edit, matching: account.tag)
    }

    @discardableResult
    public func editAccount(
        _ id: ResourceID, _ edit: AdminAccountEdit, matching tag: ETag
    ) async throws -> Tagged<AdminAccount> {
        try await call(.editAccount, id, body: .json(edit), matching: tag).tagged()
    }

    /// The audit trail, newest first. Admins only.
    ///
    /// - Parameters:
    ///   - account: Only actions of this account.
    ///   - subject: Only actions on this subject.
    ///   - action: Only this action, such as `meeting.create`.
    ///   - from: Only actions at this time or later.
    ///   - to: Only actions before this time.
    public func audit(
        account: ResourceID? = nil, subject: ResourceID? = nil, action: String? = nil, from: Date? = nil,
        to: Date? = nil
    ) -> Pages<AuditEntry> {
        pages(
            .listAudit,
            query: [
                "account": account?.description, "subject": subject?.description, "act": action,
                "from": from.map(RFC3339.format), "to": to.map(RFC3339.format),
            ])
    }

    /// The disk space that the database uses, and the lengths of the queues. Admins only.
    public func storage() async throws -> Storage {
        try await call(.getStorage).value()
    }

    /// Deletes all data of the person with this address and updates the tallies. Admins only.
    public func erase(_ person: ErasureRequest) async throws -> Erasure {
        try await call(.erase, body: .json(person)).value()
    }
}
