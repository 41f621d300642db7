import Contract
import StrictJSON

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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

/// The state by which accounts are listed.
public enum AccountState: String, Sendable, CaseIterable {
    case active, disabled, deleted
}

extension Afterword.Host {
    /// Invitations to sign up, newest first. Admins only.
    public func invitations() -> Pages<Invitation> {
        pages(.listInvitations)
    }

    /// Creates an invitation, which is mailed if it names an address. Admins only.
    ///
    /// Only the first response contains `code`. It is nil if that response was lost and this one answers the retry.
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
    /// - Parameter words: Words that the name or address contains.
    public func accounts(state: AccountState? = nil, words: String? = nil) -> Pages<AdminAccount> {
        pages(.listAccounts, query: ["q": words, "state": state?.rawValue])
    }

    public func account(_ id: ResourceID) async throws -> Tagged<AdminAccount> {
        try await call(.getAccount, id).tagged()
    }

    /// Changes the role of an account, or disables it. Admins only.
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
    ///   - act: Only this action, such as `meeting.create`.
    public func audit(
        account: ResourceID? = nil, subject: ResourceID? = nil, act: String? = nil, from: Date? = nil, to: Date? = nil
    ) -> Pages<AuditEntry> {
        pages(
            .listAudit,
            query: [
                "account": account?.description, "subject": subject?.description, "act": act,
                "from": from.map(RFC3339.format), "to": to.map(RFC3339.format),
            ])
    }

    /// The disk space of the database, and its queues. Admins only.
    public func storage() async throws -> Storage {
        try await call(.getStorage).value()
    }

    /// Erases a person everywhere, by address, and updates the tallies. Admins only.
    public func erase(_ person: ErasureRequest) async throws -> Erasure {
        try await call(.erase, body: .json(person)).value()
    }
}
