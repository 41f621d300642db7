import Contract
import Domain
import Store

extension Contract.RoundChanges {
    init(_ changes: Domain.RoundChanges, of meeting: StoredMeeting) {
        self.init(
            meetingId: ResourceID(meeting.id), seriesId: ResourceID(meeting.seriesID), round: meeting.round,
            minimumPairs: Domain.RoundChanges.minimumPairs, comparisons: changes.comparisons,
            questions: changes.questions.map { found in
                Question(
                    key: found.question.key, kind: found.question.kind.name.rawValue, title: found.question.title,
                    numbers: found.numbers.map { Number($0) })
            })
    }
}

extension Contract.RoundChanges.Number {
    fileprivate init(_ number: Domain.RoundChanges.Number) {
        self.init(
            id: number.id, label: number.label, sinceMeetingId: ResourceID(number.earlierMeetingID),
            sinceRound: number.earlierRound, value: number.value, change: number.change.value,
            low: number.change.interval?.low, high: number.change.interval?.high,
            pairs: number.pairs.map { Contract.RoundChanges.Pairs($0, adjustedP: number.adjustedP) },
            unpaired: number.unpaired?.rawValue)
    }
}

extension Contract.RoundChanges.Pairs {
    fileprivate init(_ pairs: PairedDifference, adjustedP: Double?) {
        self.init(
            n: pairs.pairs, earlier: pairs.earlier, later: pairs.later, change: pairs.value,
            low: pairs.interval?.low, high: pairs.interval?.high, test: pairs.test.rawValue, p: pairs.p,
            adjustedP: adjustedP)
    }
}
