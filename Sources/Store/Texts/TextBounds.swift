/// Limits for one page of texts or one list of terms.
public struct TextBounds: Sendable {
    /// The time limit of a page. A page that is not full by then is returned with the texts found so far.
    public var timeLimit: Duration = .milliseconds(150)
    /// The minimum and maximum number of submissions read in one step. The size of a step adapts to the time that the
    /// steps before it took. The maximum is small because each submission that is not in memory may cost a disk access.
    public var stepSizes = 256...4_096
    /// The total size of long texts, in bytes, after which a step reads no more of them.
    public var longTextBytes = 4 << 20
    /// The total size of the texts, in bytes, at which a page is full. A page has at least one text.
    public var pageBytes = 1 << 20
    /// The maximum length of a normalized search text, in UTF-16 units.
    public var searchLength = 2_000
    /// The smallest expected number of answers in a group of a shuffled list, if the question has that many.
    public var smallestGroup = 4_096
    /// The expected number of answers to which a group may grow while a list is read.
    public var largestGroup = 16_384
    /// The maximum number of answers whose words are counted.
    public var termAnswers = 10_000
    /// The maximum number of characters (UTF-16 units) in these answers.
    public var termCharacters = 1_000_000
    /// The maximum number of submissions that are read to find these answers.
    public var termSubmissions = 100_000

    public init() {}
}

/// Decides how many submissions to read next, so that a reading neither exceeds its time limit nor sends too many
/// queries.
struct ReadingPace {
    /// The time that a step should take.
    private static let target: Duration = .milliseconds(25)

    private let stepSizes: ClosedRange<Int>
    /// The instant at which the time limit is reached.
    let end: ContinuousClock.Instant
    private var lastStepEnd: ContinuousClock.Instant
    private(set) var size: Int
    /// Whether the next step would probably end after the time limit.
    private(set) var isOver = false

    init(_ bounds: TextBounds, first: Int = 0, now: ContinuousClock.Instant = .now) {
        stepSizes = bounds.stepSizes
        size = min(max(first, stepSizes.lowerBound), stepSizes.upperBound)
        end = now + bounds.timeLimit
        lastStepEnd = now
    }

    /// Adjusts the size for the next step. Call this method after each step.
    mutating func step(now: ContinuousClock.Instant = .now) {
        let took = max(now - lastStepEnd, .microseconds(1))
        let factor = min(max(Self.target / took, 0.25), 2)
        isOver = now + min(took, Self.target) > end
        size = min(max(Int(Double(size) * factor), stepSizes.lowerBound), stepSizes.upperBound)
        lastStepEnd = now
    }
}
