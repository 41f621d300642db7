import Contract
import Domain

extension QuestionResults {
    /// A text question has `released`, but nothing to plot. The other kinds have no `released`.
    init(_ result: QuestionResult) {
        self.init(
            key: result.key, kind: result.kind.rawValue, title: result.title, answered: result.answered,
            skipped: result.skipped, versions: result.versions.map { [$0.lowerBound, $0.upperBound] },
            retired: result.versions.map { _ in result.isRetired })
        guard result.kind != .text else {
            released = result.isReleased
            return
        }
        labels = result.labels
        datasets = result.datasets.map { Dataset($0) }
        points = result.points.map { Point($0) }
        summary = result.summary.map { Summary($0) }
        (minLabel, maxLabel) = (result.minLabel, result.maxLabel)
        grid = result.grid.map { QuestionBody.Grid($0) }
        if let label = result.abstain { (abstained, abstain) = (result.abstained, label) }
        room = result.room.map { Room($0) }
    }
}

extension QuestionResults.Dataset {
    init(_ dataset: QuestionResult.Dataset) {
        self.init(id: dataset.id, label: dataset.label, data: dataset.data)
    }
}

extension QuestionResults.Point {
    fileprivate init(_ point: QuestionResult.Point) {
        self.init(
            id: point.id, label: point.label, value: point.value, count: point.count, share: point.share,
            low: point.low, high: point.high)
    }
}

extension QuestionResults.Summary {
    fileprivate init(_ summary: RatingSummary) {
        self.init(
            mean: summary.mean, median: summary.median, standardDeviation: summary.standardDeviation,
            confidence95: summary.confidence95.map { [$0.low, $0.high] },
            groupedMedian: summary.groupedMedian, nps: summary.nps.map { QuestionResults.NetPromoterScore($0) })
        $nps.isApplicable = summary.metric == .nps
    }
}

extension QuestionResults.NetPromoterScore {
    fileprivate init(_ score: Domain.NetPromoterScore) {
        self.init(
            score: score.score, low: score.interval?.low, high: score.interval?.high, promoters: score.promoters,
            passives: score.passives, detractors: score.detractors)
    }
}

extension QuestionResults.Room {
    fileprivate init(_ room: RoomResult) {
        self.init(
            people: room.people, silent: room.silent, first: room.first.rawValue, tooFewAnswers: room.hasTooFewAnswers,
            mean: room.mean.map { Bounds($0) }, nps: room.nps.map { Bounds($0) }, points: room.points.map { Bounds($0) }
        )
    }
}

extension QuestionResults.Room.Bounds {
    fileprivate init(_ interval: RoomInterval) {
        self.init(
            ifAlike: interval.ifAlike.map { [$0.low, $0.high] },
            certain: [interval.certain.low, interval.certain.high])
    }
}
