import Domain
import Testing

@Suite struct LocalLabels {
    private static func labels(_ moments: [(day: String, time: String?, offset: Int)]) throws -> [String] {
        LocalMoment.labels(
            of: try moments.map {
                LocalMoment(day: try #require(LocalDay($0.day)), time: $0.time, offset: $0.offset)
            })
    }

    @Test func labelsHaveTheYearIfTheYearsDiffer() throws {
        #expect(try Self.labels([("2026-01-01", nil, 0), ("2026-12-31", nil, 0)]) == ["1 Jan", "31 Dec"])
        #expect(
            try Self.labels([("2025-12-31", nil, 0), ("2026-01-01", nil, 0)]) == ["31 Dec 2025", "1 Jan 2026"])
        #expect(try Self.labels([]).isEmpty)
    }

    @Test func repeatedLocalTimesHaveAnOffset() throws {
        #expect(
            try Self.labels([
                ("2025-11-02", "00:00", -14_400), ("2025-11-02", "01:00", -14_400), ("2025-11-02", "01:00", -18_000),
                ("2025-11-02", "02:00", -18_000),
            ]) == ["2 Nov 00:00", "2 Nov 01:00 -04:00", "2 Nov 01:00 -05:00", "2 Nov 02:00"])
        #expect(
            try Self.labels([("2026-04-05", "01:45", 39_600), ("2026-04-05", "01:45", 37_800)]) == [
                "5 Apr 01:45 +11:00", "5 Apr 01:45 +10:30",
            ])
    }

    @Test(arguments: ["", "2026", "2026-13-01", "2026-11", "soon-11-05", "2026-00-01"])
    func invalidDaysAreNil(_ text: String) {
        #expect(LocalDay(text) == nil)
    }
}
