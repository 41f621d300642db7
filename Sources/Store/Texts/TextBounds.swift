/// Limits for one page of texts, or one list of words.
public struct TextBounds: Sendable {
    /// The time after which a page is returned as far as it has been read.
    public var time: Duration = .milliseconds(150)
    /// The number of submissions read together: the first value at the beginning, then as many as the time allows. The
    /// maximum is small because each submission outside of memory may cost a disk access.
    public var chunk = 256...4_096
    /// The bytes of long texts after which a step reads no more.
    public var bytes = 4 << 20
    /// The largest length of a folded search text, in UTF-16 units.
    public var searchLength = 2_000
    /// The expected least number of answers in a group of a shuffled list, if there are that many.
    public var group = 4_096
    /// The size to which a group may grow while a list is read that was begun earlier.
    public var largestGroup = 16_384
    /// The largest number of answers in a list of words.
    public var termAnswers = 10_000
    /// The largest number of their characters (UTF-16 units).
    public var termCharacters = 1_000_000
    /// The largest number of submissions that are searched for them.
    public var termSubmissions = 100_000

    public init() {}
}

/// Decides how many submissions to read next, so that a reading neither exceeds its time nor sends too many queries.
struct ReadingPace {
    private static let ideal: Duration = .milliseconds(25)

    private let chunk: ClosedRange<Int>
    let end: ContinuousClock.Instant
    private var last: ContinuousClock.Instant
    private(set) var size: Int
    /// Whether the next chunk would not arrive in time.
    private(set) var isOver = false

    init(_ bounds: TextBounds, first: Int = 0, now: ContinuousClock.Instant = .now) {
        chunk = bounds.chunk
        size = min(max(first, chunk.lowerBound), chunk.upperBound)
        end = now + bounds.time
        last = now
    }

    /// Call it after each chunk.
    mutating func step(now: ContinuousClock.Instant = .now) {
        let took = max(now - last, .microseconds(1))
        let factor = min(max(Self.ideal / took, 0.25), 2)
        isOver = now + min(took, Self.ideal) > end
        size = min(max(Int(Double(size) * factor), chunk.lowerBound), chunk.upperBound)
        last = now
    }
}
