import TestSupport
import Testing

/// Compares statistics of real ratings with SciPy. `scripts/check-real-data` compares those of all 73,421 ratings.
@Suite(.timeLimit(.minutes(15))) struct RealStatistics {
    @Test func statisticsMatchSciPyToTheNinthDecimal() async throws {
        try await Workspace.using { workspace in
            try await workspace.importRatings()
            for table in ["summary", "questions"] {
                let file = workspace.folder / "\(table).csv"
                let outcome = try await workspace.run(["export", table, "--all", "--raw", "--output", file])
                #expect(outcome.status == 0, "\(outcome.errors)")
            }
            try await IndependentCheck.run(
                "scripts/python/check_real_data.py",
                ["--statistics", workspace.folder.path, Workspace.fixture("lecture_ratings.csv")])
        }
    }
}
