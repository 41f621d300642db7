import Domain
import Store

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension LiveHub {
    /// Ends the streams of viewers who are no longer authorised: with one query for all tokens, one for all accounts'
    /// access, and one for all shares. Participants are checked where their topic is read.
    func judge() async throws {
        try await judgeAccounts()
        try await judgeShares()
    }

    /// Ends the streams of participants whom the form's setting for showing results excludes now.
    func judgeParticipants(of watch: LiveWatch, by current: ViewerAccess.Watched) {
        for viewer in watch.viewers.values {
            guard case .participant(let participant) = viewer.ground else { continue }
            do {
                try current.check(participant)
            } catch {
                dismiss(viewer, watch.topic, error)
            }
        }
    }

    private typealias Looking = (viewer: LiveViewer, topic: LiveTopic, meetingID: UUID?)

    private var lookers: [Looking] {
        watches.values.flatMap { watch in watch.viewers.values.map { ($0, watch.topic, watch.meetingID) } }
    }

    private func judgeAccounts() async throws {
        var accounts: [(looking: Looking, tokenID: UUID, scope: Principal.Scope)] = []
        for looking in lookers {
            if case .account(let tokenID, let scope) = looking.viewer.ground {
                accounts.append((looking, tokenID, scope))
            }
        }
        guard !accounts.isEmpty else { return }
        let principals = try await store.watching.principals(ofTokens: Array(Set(accounts.map(\.tokenID))))
        var sights: [(looking: Looking, sight: ViewerAccess.Viewer)] = []
        for (looking, tokenID, scope) in accounts {
            guard let principal = principals[tokenID] else {
                dismiss(looking.viewer, looking.topic, Problem(.unauthorized, "The token has expired or was revoked."))
                continue
            }
            guard principal.scopes.contains(scope) else {
                let problem = Problem(.forbidden, "The token lacks the scope \(scope.rawValue).")
                dismiss(looking.viewer, looking.topic, problem)
                continue
            }
            if principal.isAdmin { continue }
            if looking.topic == .meetings(.everything) {
                dismiss(looking.viewer, looking.topic, Problem(.forbidden, "Your role has changed meanwhile."))
            } else if let meetingID = looking.meetingID {
                sights.append((looking, ViewerAccess.Viewer(meetingID: meetingID, accountID: principal.account.id)))
            }
        }
        guard !sights.isEmpty else { return }
        let allowed = try await store.watching.allowed(Array(Set(sights.map(\.sight))))
        for (looking, sight) in sights where !allowed.contains(sight) {
            dismiss(looking.viewer, looking.topic, Problem(.notFound))
        }
    }

    /// The receipts of viewers who see the results only with a receipt.
    func receipts(
        of watch: LiveWatch, askedBy current: ViewerAccess.Watched
    ) -> [(LiveViewer, LiveTopic, ViewerAccess.Receipt)] {
        guard current.needsReceipt else { return [] }
        return watch.viewers.values.compactMap { viewer in
            guard case .participant(let participant) = viewer.ground, let id = participant.submissionID else {
                return nil
            }
            return (viewer, watch.topic, ViewerAccess.Receipt(formID: current.meeting.form.id, submissionID: id))
        }
    }

    func judge(_ holders: [(LiveViewer, LiveTopic, ViewerAccess.Receipt)]) async throws {
        guard !holders.isEmpty else { return }
        let good = try await store.watching.good(Array(Set(holders.map(\.2))))
        for (viewer, topic, receipt) in holders where !good.contains(receipt) {
            dismiss(viewer, topic, Problem(.withdrawn))
        }
    }

    private func judgeShares() async throws {
        var holders: [(looking: Looking, token: String)] = []
        for looking in lookers {
            if case .share(let token) = looking.viewer.ground { holders.append((looking, token)) }
        }
        guard !holders.isEmpty else { return }
        let open = try await store.watching.openShares(Array(Set(holders.map(\.token))))
        for (looking, token) in holders where !open.contains(token) {
            dismiss(looking.viewer, looking.topic, Problem(.shareEnded))
        }
    }
}
