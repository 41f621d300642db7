import Domain
import Postgres

/// Cronbach's alpha of a grid of a form.
public struct GridAlpha: Sendable {
    public var results: FormResults
    public var grid: Grid
    /// The keys of the statements, in the form's order.
    public var statements: [String]
    /// The number of people who rated all statements.
    public var people: Int
    /// Nil if it is not defined for these ratings.
    public var alpha: CronbachAlpha?
    /// The number of submissions in the sample that was counted; nil if all submissions were.
    public var sampleSize: Int?
    /// Whether the sample is smaller than usual because the database was slow. A later request may get a larger one.
    public var isSampleReduced = false
}

extension Filters {
    /// Returns Cronbach's alpha of the statements of a grid that the form's newest version asks.
    ///
    /// It depends on which answers people gave together, as cross-tabs do. So on an anonymous form it exists only if
    /// each pair of the statements may be cross-tabulated; throws the same problems as `crossTab`, at `?grid`.
    public func alpha(of meeting: Meeting, grid key: String?) async throws -> GridAlpha {
        try await withBaseline(of: meeting) { baseline, connection in
            guard let key else { throw Problem(invalid: "?grid", code: "required", "The key of a grid is expected.") }
            let asked = Set(baseline.results.questions.filter { !$0.isRetired }.map(\.key))
            let statements = baseline.questions.filter { $0.grid?.key == key && asked.contains($0.key) }
            guard let grid = statements.first?.grid else {
                throw Problem(invalid: "?grid", code: "unknown-question", "The form has no such grid.")
            }
            let keys = statements.map(\.key)
            if baseline.meeting.form.anonymous {
                _ = try safeFilters.require(keys.map { ($0, "?grid") }, of: baseline)
            }
            let (sums, read) = try await baseline.sample.sums(of: keys, on: connection)
            return GridAlpha(
                results: baseline.results, grid: grid, statements: keys, people: sums.people,
                alpha: CronbachAlpha(sums), sampleSize: baseline.sample.size.isComplete ? nil : read,
                isSampleReduced: baseline.isSampleReduced)
        }
    }
}

extension SubmissionSample {
    /// Returns the sums of ratings over the submissions that rate all these questions, and the number of submissions
    /// read.
    fileprivate func sums(
        of keys: [String], on connection: Connection
    ) async throws -> (sums: CronbachAlpha.Sums, read: Int) {
        func joined(_ parts: [Statement], _ separator: Statement) -> Statement {
            parts.dropFirst().reduce(parts[0]) { $0 + separator + $1 }
        }
        // An abstention is a text, which has no number.
        let values = keys.enumerated().map { index, key -> Statement in
            // This number is generated, so it is safe in SQL.
            let name = Statement(unsafeSQL: "v\(index)")
            return """
                CASE WHEN jsonb_typeof(s.answers->\(key)) = 'number' THEN (s.answers->>\(key))::bigint END
                AS \(fragment: name)
                """
        }
        // These names are generated, so they are safe in SQL.
        let names = keys.indices.map { Statement(unsafeSQL: "t.v\($0)") }
        // Null for a person who did not rate all statements.
        let total = "(" + joined(names, " + ") + ")"
        let sums = names.map { name -> Statement in
            """
            coalesce(sum(\(fragment: name)) FILTER (WHERE \(fragment: total) IS NOT NULL), 0)::bigint,
            coalesce(sum(\(fragment: name) * \(fragment: name)) FILTER (WHERE \(fragment: total) IS NOT NULL), 0)::bigint
            """
        }
        let row = try await connection.query(
            """
            SELECT count(*), count(\(fragment: total)), \(fragment: joined(sums, ", ")),
                coalesce(sum(\(fragment: total) * \(fragment: total)), 0)::bigint
            FROM (SELECT \(fragment: joined(values, ", ")) FROM submission s WHERE \(fragment: rows)) t
            """
        ).single()
        var columns = Columns(row)
        let (read, people): (Int, Int) = (try columns.next(), try columns.next())
        var found = CronbachAlpha.Sums(people: people, ratings: [], squares: [], totalSquares: 0)
        for _ in keys {
            found.ratings.append(try columns.next())
            found.squares.append(try columns.next())
        }
        found.totalSquares = try columns.next()
        return (found, read)
    }
}
