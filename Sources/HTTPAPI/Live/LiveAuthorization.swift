import Domain
import Store

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Why somebody may look on; judged again each second.
enum LiveAuthorization: Hashable, Sendable {
    /// A token of an account that has the scope, and the account's sight of the meeting.
    case account(tokenID: UUID, scope: Principal.Scope)
    /// What the form's host shows to those who have its code.
    case participant(ViewerAccess.Participant)
    /// The token of a share.
    case share(String)

    init(_ principal: Principal, _ scope: Principal.Scope) {
        self = .account(tokenID: principal.tokenID, scope: scope)
    }
}

/// What an event stream tells of.
enum LiveTopic: Hashable, Sendable {
    enum Kind: CaseIterable { case results, meetings }

    case results(formID: UUID)
    case meetings(ViewerAccess.Audience)

    var kind: Kind {
        switch self {
        case .results: .results
        case .meetings: .meetings
        }
    }
}
