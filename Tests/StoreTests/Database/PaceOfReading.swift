import Testing

@testable import Store

@Suite struct PaceOfReading {
    private static let start = ContinuousClock.now

    private static func bounds(_ time: Duration, _ chunk: ClosedRange<Int>) -> TextBounds {
        var bounds = TextBounds()
        bounds.timeLimit = time
        bounds.stepSizes = chunk
        return bounds
    }

    @Test func chunksGrowWhenFastAndShrinkWhenSlow() {
        var pace = ReadingPace(Self.bounds(.seconds(60), 100...10_000), now: Self.start)
        #expect(pace.size == 100)
        var now = Self.start
        var sizes: [Int] = []
        for milliseconds in [1, 1, 1, 1, 1, 25, 100, 50, 500, 500, 500, 500] {
            now += .milliseconds(milliseconds)
            pace.step(now: now)
            sizes.append(pace.size)
        }
        #expect(sizes == [200, 400, 800, 1600, 3200, 3200, 800, 400, 100, 100, 100, 100])
        #expect(!pace.isOver)
    }

    @Test func readingStopsBeforeAChunkThatWouldExceedTheTime() {
        var pace = ReadingPace(Self.bounds(.milliseconds(150), 1...10), now: Self.start)
        var now = Self.start
        for _ in 1...5 {
            now += .milliseconds(25)
            pace.step(now: now)
            #expect(!pace.isOver)
        }
        now += .milliseconds(10)
        pace.step(now: now)
        #expect(!pace.isOver)
        now += .milliseconds(10)
        pace.step(now: now)
        #expect(pace.isOver)
    }

    @Test func zeroTimeReadsOneChunk() {
        var pace = ReadingPace(Self.bounds(.zero, 1...10), first: 4, now: Self.start)
        #expect(!pace.isOver && pace.size == 4)
        pace.step(now: Self.start)
        #expect(pace.isOver)
    }
}
