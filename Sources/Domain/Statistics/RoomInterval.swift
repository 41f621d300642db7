/// Two statements about a number in a room of which some people were silent.
///
/// The number is a mean, a share or a net promoter score over all people in the room. It exists whether or not everybody
/// said their opinion, unlike the expected value of other people, which `Distribution.confidence95` is about.
public struct RoomInterval: Sendable, Equatable {
    /// The 95 % interval if those who were silent are like the others. Nil if nobody was silent, or if too few answered.
    /// It is never wider than `certain`.
    public var ifAlike: Interval?
    /// The bounds that hold whatever those who were silent think. C. F. Manski, "Partial Identification of Probability
    /// Distributions" (2003), chapter 1.
    public var certain: Interval
    /// The limits from which changes are computed: not cut to the certain bounds, since limits that are cut add up to too
    /// little. Of a share Wilson's bounds, because exact limits of few people do not add up like normal ones.
    var limits: Interval?

    /// Whether nobody was silent, so that the number is known.
    var isKnown: Bool { certain.low == certain.high }

    /// The number of answers that are needed for an interval of a mean or a score.
    static let minAnswers = 2

    init(ifAlike: Interval?, certain: Interval, limits: Interval? = nil) {
        self.certain = certain
        self.limits = limits ?? ifAlike
        self.ifAlike = ifAlike.map { Interval(low: max($0.low, certain.low), high: min($0.high, certain.high)) }
    }

    /// The number of independent answers that are worth as much as `answered` answers out of a room of `people`:
    /// n · (N − 1) / (N − n). Infinite if all answered.
    static func effectiveCount(_ answered: Int, of people: Int) -> Double {
        Double(answered) * Double(people - 1) / Double(people - answered)
    }
}

extension Distribution {
    /// The mean of a room.
    ///
    /// `ifAlike` is Student's interval with the finite population correction, x̄ ± t · s / √n · √(1 − n/N) (Cochran,
    /// section 2.8). If nearly all answers are at one end of the scale, it is too narrow, and without width if all are
    /// equal. Each bound is therefore that of the `adjustedInterval` if that one is farther from the mean.
    ///
    /// - Parameter people: The number of people in the room, at least `count`.
    func meanInRoom(of people: Int, scale: ClosedRange<Int>) -> RoomInterval {
        let silent = people - count
        func bound(_ value: Int) -> Double { Double(sum + silent * value) / Double(people) }
        let certain = Interval(low: bound(scale.lowerBound), high: bound(scale.upperBound))
        guard let mean, let student = confidence95, silent > 0 else {
            return RoomInterval(ifAlike: nil, certain: certain)
        }
        let correction = (1 - Double(count) / Double(people)).squareRoot()
        let adjusted = adjustedInterval(inRoomOf: people, scale: scale)
        return RoomInterval(
            ifAlike: Interval(
                low: min(mean - (mean - student.low) * correction, adjusted.low),
                high: max(mean + (student.high - mean) * correction, adjusted.high)),
            certain: certain)
    }

    /// The normal interval after adding one answer, half of it at each end of the scale, to the effective number of
    /// answers. A. Agresti, B. A. Coull, "Approximate is better than 'exact' for interval estimation of binomial
    /// proportions", The American Statistician 52 (1998), do the same with four answers on a scale of two values.
    private func adjustedInterval(inRoomOf people: Int, scale: ClosedRange<Int>) -> Interval {
        let weight = RoomInterval.effectiveCount(count, of: people)
        let ends = [Double(scale.lowerBound), Double(scale.upperBound)]
        let mean = Double(sum) / Double(count)
        let total = weight + 1
        let center = (weight * mean + ends.reduce(0, +) / 2) / total
        let spread = counts.reduce(0) { $0 + Double($1.count) * square(Double($1.value) - center) } / Double(count)
        let variance = (weight * spread + ends.reduce(0) { $0 + square($1 - center) } / 2) / total
        let halfWidth = StudentT.normalCritical95 * (variance / total).squareRoot()
        return Interval(low: center - halfWidth, high: center + halfWidth)
    }

    private func square(_ x: Double) -> Double { x * x }
}

extension Proportion {
    /// A share of a room, with hypergeometric limits; in a room of more than 500 people with Wilson's bounds for the
    /// effective number of answers.
    ///
    /// - Parameter people: The number of people in the room, at least `answered`.
    static func inRoom(count: Int, of answered: Int, people: Int) -> RoomInterval {
        let silent = people - answered
        let certain = Interval(
            low: Double(count) / Double(people), high: Double(count + silent) / Double(people))
        guard answered > 0, silent > 0 else { return RoomInterval(ifAlike: nil, certain: certain) }
        let bounds = wilson(
            share: Double(count) / Double(answered), of: RoomInterval.effectiveCount(answered, of: people))
        guard people > Hypergeometric.maxPeople else {
            let limits = Hypergeometric.limits95(count: count, of: answered, people: people)
            let exact = Interval(
                low: Double(limits.lowerBound) / Double(people), high: Double(limits.upperBound) / Double(people))
            return RoomInterval(ifAlike: exact, certain: certain, limits: bounds)
        }
        return RoomInterval(ifAlike: bounds, certain: certain)
    }
}

extension NetPromoterScore {
    /// The score of a room: the adjusted Wald interval for the effective number of answers.
    ///
    /// - Parameter people: The number of people in the room, at least the number of answers.
    func inRoom(of people: Int) -> RoomInterval {
        let answered = promoters + passives + detractors
        let silent = people - answered
        func bound(_ difference: Int) -> Double { 100 * Double(difference) / Double(people) }
        let certain = Interval(
            low: bound(promoters - detractors - silent), high: bound(promoters - detractors + silent))
        guard answered >= RoomInterval.minAnswers, silent > 0 else {
            return RoomInterval(ifAlike: nil, certain: certain)
        }
        let factor = RoomInterval.effectiveCount(answered, of: people) / Double(answered)
        return RoomInterval(
            ifAlike: Self.interval(
                promoters: factor * Double(promoters), detractors: factor * Double(detractors),
                total: factor * Double(answered)),
            certain: certain)
    }
}

/// A number of a room as the answers have it, with what they say of the whole room.
struct RoomEstimate: Sendable, Equatable {
    var value: Double
    var interval: RoomInterval

    /// The limits, or the value alone if nobody was silent. Nil if too few answered.
    private var limits: Interval? {
        interval.limits ?? (interval.isKnown ? interval.certain : nil)
    }

    /// The difference between a later and an earlier number, each of its own room. Both rooms may be the same people,
    /// some of whom were silent in one round and others in the other.
    ///
    /// `ifAlike` is computed from the limits of both numbers by G. Y. Zou, A. Donner, "Construction of confidence limits
    /// about effect measures: a general approach", Statistics in Medicine 27 (2008), of which Newcombe's interval of two
    /// shares is the case of Wilson's limits.
    func change(from earlier: RoomEstimate) -> RoomInterval {
        let certain = Interval(
            low: interval.certain.low - earlier.interval.certain.high,
            high: interval.certain.high - earlier.interval.certain.low)
        guard !(interval.isKnown && earlier.interval.isKnown), let new = limits, let old = earlier.limits else {
            return RoomInterval(ifAlike: nil, certain: certain)
        }
        return RoomInterval(
            ifAlike: Difference.interval(value, new, less: earlier.value, old), certain: certain)
    }
}
