import TestSupport
import Testing

/// Statistics of real ratings, compared with SciPy's; `scripts/check-real-data` does so with all 73,421 of them.
@Suite(.timeLimit(.minutes(15))) struct RealStatistics {
    @Test func matchSciPyToTheNinthDecimal() async throws {
        try await Workplace.using { place in
            try await place.bringRatings()
            for table in ["summary", "questions"] {
                let file = place.folder / "\(table).csv"
                let outcome = try await place.run(["export", table, "--all", "--raw", "--output", file])
                #expect(outcome.status == 0, "\(outcome.errors)")
            }
            try await IndependentCheck.run(
                "scripts/python/check_real_data.py",
                ["--statistics", place.folder.path, Workplace.fixture("lecture_ratings.csv")])
        }
    }
}
