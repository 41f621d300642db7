import Domain
import Postgres

extension SubmissionSample {
    /// Counts the matching submissions of one version that were asked, for each question with a condition. Reads them
    /// again, which is needed only if there is such a question.
    func asked(
        _ questions: [Question], inVersion version: Int, where condition: Statement, on connection: Connection
    ) async throws -> [String: Int] {
        let conditional = questions.compactMap { question in question.showIf.map { (question.key, $0) } }
        guard !conditional.isEmpty else { return [:] }
        let counts = conditional.map { _, showIf -> Statement in
            "count(*) FILTER (WHERE \(fragment: Self.holds(showIf, among: questions)))"
        }
        let list = counts.dropFirst().reduce(counts[0]) { $0 + ", " + $1 }
        let row = try await connection.query(
            """
            SELECT \(fragment: list) FROM submission s
            WHERE \(fragment: rows) AND s.version = \(version) AND \(fragment: condition)
            """
        ).single()
        var asked: [String: Int] = [:]
        for (index, (key, _)) in conditional.enumerated() { asked[key] = try row.decode(Int.self, at: index) }
        return asked
    }

    /// An SQL condition: whether the answers of `submission s` meet the condition of a question. Stored answers are to
    /// questions that were asked, so an answer that is absent needs no further look.
    private static func holds(_ showIf: ShowIf, among questions: [Question]) -> Statement {
        let tests = showIf.tests.map { holds($0, among: questions) }
        return tests.dropFirst().reduce(tests[0]) { $0 + (showIf.join == .all ? " AND " : " OR ") + $1 }
    }

    private static func holds(_ test: ShowIf.Test, among questions: [Question]) -> Statement {
        let isAnswered = isAnswered(test.question, among: questions)
        switch test.comparison {
        case .answered(let isExpected): return isExpected ? isAnswered : "NOT (\(fragment: isAnswered))"
        case .equals(let value): return equals(value, test.question, among: questions)
        case .differs(let value):
            return "(\(fragment: isAnswered) AND NOT \(fragment: equals(value, test.question, among: questions)))"
        case .atLeast(let rating):
            return "(\(fragment: isAnswered) AND s.answers->\(test.question) >= to_jsonb(\(rating)::int))"
        case .atMost(let rating):
            return "(\(fragment: isAnswered) AND s.answers->\(test.question) <= to_jsonb(\(rating)::int))"
        }
    }

    /// An abstention, which is stored as a text, is no answer.
    private static func isAnswered(_ key: String, among questions: [Question]) -> Statement {
        if case .rating(let rating) = questions.first(where: { $0.key == key })?.kind, rating.abstain != nil {
            return "coalesce(jsonb_typeof(s.answers->\(key)) = 'number', false)"
        }
        return "s.answers ? \(key)"
    }

    private static func equals(_ value: ShowIf.Value, _ key: String, among questions: [Question]) -> Statement {
        let bucket =
            switch value {
            case .option(let id): id
            case .rating(let rating): String(rating)
            }
        let matches = matches([Condition(key: key, bucket: bucket)], among: questions)
        return "coalesce((\(fragment: matches)), false)"
    }
}
