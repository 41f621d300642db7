import Domain
import Foundation
import Store

extension LiveHub {
    /// Ends the streams of viewers who are no longer authorized. One query checks all tokens, one the access of all
    /// accounts, and one all shares. Participants are checked when the results they watch are compared or read.
    func endUnauthorizedStreams() async throws {
        try await endStreamsOfUnauthorizedAccounts()
        try await endStreamsOfExpiredShares()
    }

    /// Ends the streams of participants to whom the form no longer shows its results.
    func endStreamsOfExcludedParticipants(of watch: LiveWatch, accordingTo current: ViewerAccess.WatchedMeeting) {
        for viewer in watch.viewers.values {
            guard case .participant(let participant) = viewer.authorization else { continue }
            do {
                try current.check(participant)
            } catch {
                dismiss(viewer, watch.topic, error)
            }
        }
    }

    private typealias Subscription = (viewer: LiveViewer, topic: LiveTopic, meetingID: UUID?)

    private var subscriptions: [Subscription] {
        watches.values.flatMap { watch in watch.viewers.values.map { ($0, watch.topic, watch.meetingID) } }
    }

    private func endStreamsOfUnauthorizedAccounts() async throws {
        var accounts: [(subscription: Subscription, tokenID: UUID, scope: Principal.Scope)] = []
        for subscription in subscriptions {
            if case .account(let tokenID, let scope) = subscription.viewer.authorization {
                accounts.append((subscription, tokenID, scope))
            }
        }
        guard !accounts.isEmpty else { return }
        let principals = try await store.viewerAccess.principals(ofTokens: Array(Set(accounts.map(\.tokenID))))
        var viewers: [(subscription: Subscription, viewer: ViewerAccess.Viewer)] = []
        for (subscription, tokenID, scope) in accounts {
            guard let principal = principals[tokenID] else {
                dismiss(
                    subscription.viewer, subscription.topic,
                    Problem(.unauthorized, "The token has expired or was revoked."))
                continue
            }
            guard principal.scopes.contains(scope) else {
                let problem = Problem(.forbidden, "The token lacks the scope \(scope.rawValue).")
                dismiss(subscription.viewer, subscription.topic, problem)
                continue
            }
            if principal.isAdmin { continue }
            if subscription.topic == .meetings(.everything) {
                dismiss(
                    subscription.viewer, subscription.topic,
                    Problem(.forbidden, "Your role has changed in the meantime."))
            } else if let meetingID = subscription.meetingID {
                viewers.append(
                    (subscription, ViewerAccess.Viewer(meetingID: meetingID, accountID: principal.account.id)))
            }
        }
        guard !viewers.isEmpty else { return }
        let allowed = try await store.viewerAccess.allowed(Array(Set(viewers.map(\.viewer))))
        for (subscription, viewer) in viewers where !allowed.contains(viewer) {
            dismiss(subscription.viewer, subscription.topic, Problem(.notFound))
        }
    }

    /// The receipts of the participants who watch a form. Empty if its results are shown without a receipt.
    func receipts(
        of watch: LiveWatch, requiredBy current: ViewerAccess.WatchedMeeting
    ) -> [(LiveViewer, LiveTopic, ViewerAccess.Receipt)] {
        guard current.needsReceipt else { return [] }
        return watch.viewers.values.compactMap { viewer in
            guard case .participant(let participant) = viewer.authorization, let id = participant.submissionID else {
                return nil
            }
            return (viewer, watch.topic, ViewerAccess.Receipt(formID: current.meeting.form.id, submissionID: id))
        }
    }

    /// Ends the streams of viewers whose submission was withdrawn.
    func endStreamsOfWithdrawnSubmissions(_ holders: [(LiveViewer, LiveTopic, ViewerAccess.Receipt)]) async throws {
        guard !holders.isEmpty else { return }
        let valid = try await store.viewerAccess.valid(Array(Set(holders.map(\.2))))
        for (viewer, topic, receipt) in holders where !valid.contains(receipt) {
            dismiss(viewer, topic, Problem(.withdrawn))
        }
    }

    private func endStreamsOfExpiredShares() async throws {
        var holders: [(subscription: Subscription, token: String)] = []
        for subscription in subscriptions {
            if case .share(let token) = subscription.viewer.authorization { holders.append((subscription, token)) }
        }
        guard !holders.isEmpty else { return }
        let open = try await store.viewerAccess.openShares(Array(Set(holders.map(\.token))))
        for (subscription, token) in holders where !open.contains(token) {
            dismiss(subscription.viewer, subscription.topic, Problem(.shareEnded))
        }
    }
}
