/// How much one page of texts, or one list of words, may read.
public struct TextBounds: Sendable {
    /// After this a page is answered as far as it has come.
    public var time: Duration = .milliseconds(150)
    /// Submissions that are looked at together: the first at first, then as many as the time allows. So few at most,
    /// because where they are not in memory each of those that stand in no order may be a disk's move.
    public var chunk = 256...4_096
    /// Bytes of long texts after which a step brings no more.
    public var bytes = 4 << 20
    /// UTF-16 units that what is searched for may have once it is folded.
    public var searchLength = 2_000
    /// Answers that a group of a shuffled list is expected to have at least, where there are so many.
    public var group = 4_096
    /// … and may have come to have, while a list is read that was begun when there were fewer.
    public var largestGroup = 16_384
    /// A list of words is of so many answers at most …
    public var termAnswers = 10_000
    /// … of so many characters (UTF-16) …
    public var termCharacters = 1_000_000
    /// … found among so many submissions.
    public var termSubmissions = 100_000

    public init() {}
}

/// How many submissions to look at next, so that a reading neither overruns its time nor asks too often.
struct ReadingPace {
    private static let ideal: Duration = .milliseconds(25)

    private let chunk: ClosedRange<Int>
    let end: ContinuousClock.Instant
    private var last: ContinuousClock.Instant
    private(set) var size: Int
    /// Whether the next chunk would not be there in time.
    private(set) var isOver = false

    init(_ bounds: TextBounds, first: Int = 0, now: ContinuousClock.Instant = .now) {
        chunk = bounds.chunk
        size = min(max(first, chunk.lowerBound), chunk.upperBound)
        end = now + bounds.time
        last = now
    }

    /// After each chunk.
    mutating func step(now: ContinuousClock.Instant = .now) {
        let took = max(now - last, .microseconds(1))
        let factor = min(max(Self.ideal / took, 0.25), 2)
        isOver = now + min(took, Self.ideal) > end
        size = min(max(Int(Double(size) * factor), chunk.lowerBound), chunk.upperBound)
        last = now
    }
}
