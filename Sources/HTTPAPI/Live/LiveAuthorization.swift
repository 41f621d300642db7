import Domain
import Foundation
import Store

/// What entitles a viewer to read a stream. It is checked again every second.
enum LiveAuthorization: Hashable, Sendable {
    /// A token with the scope. Its account must also have access to the meeting.
    case account(tokenID: UUID, scope: Principal.Scope)
    /// A code of the form, whose settings decide what participants may see.
    case participant(ViewerAccess.Participant)
    /// The token of a share.
    case share(String)

    init(_ principal: Principal, _ scope: Principal.Scope) {
        self = .account(tokenID: principal.tokenID, scope: scope)
    }
}

/// The subject of an event stream: the results of a form, or a list of meetings.
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
