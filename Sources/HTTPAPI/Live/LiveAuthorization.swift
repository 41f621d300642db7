import Domain
import Store

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Why a viewer may read a stream; checked again each second.
enum LiveAuthorization: Hashable, Sendable {
    /// A token of an account with the scope, and the account's access to the meeting.
    case account(tokenID: UUID, scope: Principal.Scope)
    /// What the form's host shows to people with its code.
    case participant(ViewerAccess.Participant)
    /// The token of a share.
    case share(String)

    init(_ principal: Principal, _ scope: Principal.Scope) {
        self = .account(tokenID: principal.tokenID, scope: scope)
    }
}

/// What an event stream is about.
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
