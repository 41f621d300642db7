import Contract
import Foundation
import Store
import StrictJSON

extension AccountBody {
    init(_ account: Account) {
        self.init(
            id: ResourceID(account.id), email: account.email, name: account.name, role: account.role.rawValue)
    }
}

extension AdminAccount {
    init(_ profile: StoredProfile) {
        let account = profile.account
        self.init(
            id: ResourceID(account.id), email: account.email, name: account.name, role: account.role.rawValue,
            createdAt: account.createdAt, disabledAt: account.disabledAt, deletedAt: profile.deletedAt)
    }
}

extension Contract.Profile {
    init(_ profile: StoredProfile) {
        let account = profile.account
        self.init(
            id: ResourceID(account.id), email: account.email, name: account.name, role: account.role.rawValue,
            locale: profile.locale, timeZone: profile.timeZone, picture: profile.hasPicture ? "/v1/me/picture" : nil,
            createdAt: account.createdAt, mailsAtClose: profile.mailsAtClose, weeklyDigest: profile.weeklyDigest)
    }
}

extension SessionSummary {
    /// - Parameter current: The id of the request's token.
    init(_ token: TokenFacts, current: UUID) {
        self.init(
            id: ResourceID(token.id), createdAt: token.createdAt, expiresAt: token.expiresAt,
            current: token.id == current, device: token.device)
    }
}

extension APIToken {
    init(_ token: TokenFacts) {
        self.init(
            id: ResourceID(token.id), name: token.name ?? "", scopes: token.scopes, createdAt: token.createdAt,
            expiresAt: token.expiresAt)
    }
}

extension Contract.Invitation {
    init(_ invitation: StoredInvitation) {
        self.init(
            id: ResourceID(invitation.id), email: invitation.email, note: invitation.note,
            seriesId: invitation.seriesID.map { ResourceID($0) }, role: invitation.role,
            state: invitation.state.rawValue, createdBy: ResourceID(invitation.createdBy),
            createdAt: invitation.createdAt, expiresAt: invitation.expiresAt, spentAt: invitation.spentAt,
            spentBy: invitation.spentBy.map { ResourceID($0) })
    }
}

extension Contract.PersonalData {
    init(_ document: StoredPersonalData.Document) {
        func rows(_ list: StoredPersonalData.List) -> [JSONValue] { document.lists[list] ?? [] }
        self.init(
            account: document.account, sessions: rows(.sessions), tokens: rows(.tokens), webhooks: rows(.webhooks),
            series: rows(.series), meetings: rows(.meetings), memberships: rows(.memberships),
            attendances: rows(.attendances), persons: rows(.persons), submissions: rows(.submissions),
            invitations: rows(.invitations), templates: rows(.templates), shares: rows(.shares),
            invited: rows(.invited), mails: rows(.mails), actsByOthers: rows(.actsByOthers), acts: rows(.acts),
            truncated: document.truncated.map(\.rawValue))
    }
}
