import Contract
import Domain
import Store

extension Contract.Decision {
    init(_ decision: StoredDecision) {
        self.init(
            text: decision.text, question: decision.question, done: decision.isDone, shown: decision.isShown)
    }
}

extension Contract.Decisions {
    init(_ decisions: StoredDecisions.OfMeeting, previous: StoredDecisions.OfRound?) {
        self.init(items: decisions.items.map { Contract.Decision($0) }, previous: previous.map(OfRound.init))
    }
}

extension Contract.Decisions.OfRound {
    init(_ round: StoredDecisions.OfRound) {
        self.init(
            meetingId: ResourceID(round.meetingID), round: round.round, title: round.title, startsAt: round.startsAt,
            items: round.decisions.items.map { Contract.Decision($0) })
    }
}
