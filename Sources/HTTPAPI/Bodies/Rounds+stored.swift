import Contract
import Domain
import Foundation
import Store

extension Contract.Trend {
    init(_ trend: Domain.Trend, ofSeries seriesID: UUID) {
        self.init(
            seriesId: ResourceID(seriesID), key: trend.question.key, kind: trend.question.kind.name.rawValue,
            title: trend.question.title, labels: trend.labels, rounds: trend.rounds.map(\.round),
            meetingIds: trend.rounds.map { ResourceID($0.meetingID) }, startsAt: trend.rounds.map(\.startsAt),
            n: trend.answers, asked: trend.asked, skipped: trend.skipped,
            responseRate: trend.rounds.map(\.responseRate),
            datasets: trend.lines.map { Dataset($0) }, changes: trend.changes.map { Change($0) },
            changesCut: trend.isTruncated, leftOut: trend.leftOut)
    }
}

extension Contract.Trend.Dataset {
    fileprivate init(_ line: Domain.Trend.Line) {
        func numbers(_ number: (Domain.Trend.Point) -> Double?) -> [Double?] { line.points.map { $0.flatMap(number) } }
        self.init(
            id: line.id, label: line.label, data: numbers { $0.value }, low: numbers { $0.interval?.low },
            high: numbers { $0.interval?.high }, change: numbers { $0.change?.value },
            changeLow: numbers { $0.change?.interval?.low }, changeHigh: numbers { $0.change?.interval?.high },
            room: line.points.contains { $0?.room != nil } ? Contract.Trend.Room(line) : nil)
    }
}

extension Contract.Trend.Room {
    fileprivate init(_ line: Domain.Trend.Line) {
        func numbers(_ number: (Domain.Trend.Point) -> Double?) -> [Double?] { line.points.map { $0.flatMap(number) } }
        self.init(
            low: numbers { $0.room?.ifAlike?.low }, high: numbers { $0.room?.ifAlike?.high },
            certainLow: numbers { $0.room?.certain.low }, certainHigh: numbers { $0.room?.certain.high },
            first: line.points.map { $0?.first?.rawValue },
            changeLow: numbers { $0.roomChange?.ifAlike?.low }, changeHigh: numbers { $0.roomChange?.ifAlike?.high },
            certainChangeLow: numbers { $0.roomChange?.certain.low },
            certainChangeHigh: numbers { $0.roomChange?.certain.high },
            changeFirst: line.points.map { $0?.changeFirst?.rawValue })
    }
}

extension Contract.Trend.Change {
    fileprivate init(_ change: Domain.Trend.Change) {
        self.init(
            round: change.round, version: change.version, change: change.kind.name, option: change.option,
            from: change.from, to: change.to)
    }
}

extension SeriesResults {
    init(_ pooled: PooledRounds, ofSeries seriesID: UUID, from: Date? = nil, to: Date? = nil) {
        let rounds = pooled.rounds
        let response = ResponseRate(of: rounds.compactMap(\.responseRate))
        let headcounts = rounds.compactMap(\.headcount)
        self.init(
            seriesId: ResourceID(seriesID), from: from, to: to, rounds: rounds.map(\.round),
            submissions: rounds.reduce(0) { $0 + $1.submissions },
            headcount: headcounts.isEmpty ? nil : headcounts.reduce(0, +),
            attended: rounds.reduce(0) { $0 + $1.attended }, responseRate: response?.rate,
            responseBase: response?.base.rawValue, withheld: Withheld(rounds),
            questions: pooled.questions.map { Question($0) }, changes: pooled.changes.map { Change($0) },
            changesCut: pooled.isTruncated)
    }
}

extension SeriesResults.Withheld {
    /// The smallest minimum group that withholds something, the total number of submissions shown, and the rounds that
    /// show fewer submissions than they have; nil if there are no such rounds.
    fileprivate init?(_ rounds: [SeriesRound]) {
        let withheld = rounds.filter { $0.withheld != nil }
        guard let minimum = withheld.compactMap({ $0.withheld?.minimum }).min() else { return nil }
        self.init(
            reason: "minimum-group", minimum: minimum,
            shown: rounds.reduce(0) { $0 + ($1.withheld?.shown ?? $1.submissions) }, rounds: withheld.map(\.round))
    }
}

extension SeriesResults.Question {
    fileprivate init(_ question: PooledQuestion) {
        self.init(
            results: QuestionResults(question.result), rounds: question.rounds, leftOut: question.leftOut)
    }
}

extension SeriesResults.Change {
    fileprivate init(_ questionChange: SeriesHistory.Change) {
        let change = questionChange.change
        self.init(
            key: questionChange.key, round: change.round, version: change.version, change: change.kind.name,
            option: change.option, from: change.from, to: change.to)
    }
}

extension Contract.Ranking.Prior {
    init(_ prior: Credibility) {
        self.init(
            mean: prior.mean, weight: prior.weight, method: prior.method.rawValue, within: prior.within,
            between: prior.between)
    }
}

extension RankedGroup {
    init(_ entry: Domain.Ranking.Entry, of ranking: Domain.Ranking) {
        let (group, interval) = (entry.group, ranking.interval(of: entry))
        self.init(
            rank: entry.rank, seriesId: ResourceID(group.seriesID), series: group.series,
            meetingId: group.meeting.map { _ in ResourceID(group.id) }, round: group.meeting?.round,
            startsAt: group.meeting?.startsAt, title: group.title, n: group.answers.count, mean: entry.mean,
            shrunk: entry.shrunkMean, low: interval?.low, high: interval?.high)
        $startsAt.isApplicable = group.meeting != nil
    }
}
