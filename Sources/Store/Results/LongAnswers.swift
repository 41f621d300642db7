import Foundation
import Postgres

/// Submissions whose answers are long are read a few at a time.
///
/// Short ones are read by the thousand. But a submission may have a quarter of a megabyte: a thousand of those would be
/// the memory of the machine, and the database unpacks each to look at it.
struct LongAnswers {
    /// Of `submission s`: PostgreSQL keeps its answers in its row, as they are. What it has packed may be a hundred times
    /// as long as what it has kept.
    static let isShort: Statement = "(pg_column_compression(s.answers) IS NULL AND pg_column_size(s.answers) <= 2048)"

    /// As many are asked for together: at least that many, and otherwise so many as may be expected to be `ideal` bytes.
    private static let together = 8...64
    private static let ideal = 1 << 20

    let question: TextQuestion
    /// After which no more are read in one step.
    let bytes: Int
    let connection: Connection

    /// Their texts, nil where the question was skipped: at least the first one's, and as many as there is room and time
    /// for.
    func texts(of ids: [UUID], until end: ContinuousClock.Instant?) async throws -> [String?] {
        var (texts, read, count): ([String?], Int, Int) = ([], 0, Self.together.lowerBound)
        while texts.count < ids.count {
            let answers = try await ask("s.answers->>\(question.key)", of: ids[texts.count...].prefix(count))
            let size = read
            for answer in answers {
                let text = try answer.found().decode(String?.self)
                read += text?.utf8.count ?? 0
                texts.append(text)
            }
            guard read < bytes, end.map({ .now < $0 }) ?? true else { break }
            let expected = Self.ideal * answers.count / max(read - size, 1)
            count = min(max(expected, Self.together.lowerBound), Self.together.upperBound)
        }
        return texts
    }

    /// Whether they answer the question: at least the first, and as many as there is time for.
    func answered(_ ids: [UUID], until end: ContinuousClock.Instant?) async throws -> [Bool] {
        var answered: [Bool] = []
        while answered.count < ids.count {
            let batch = ids[answered.count...].prefix(Self.together.upperBound)
            for answer in try await ask("s.answers->>\(question.key) IS NOT NULL", of: batch) {
                answered.append(try answer.found().decode(Bool.self))
            }
            guard end.map({ .now < $0 }) ?? true else { break }
        }
        return answered
    }

    /// Asked one by one, in one pipeline: for many ids at once a planner that has not yet heard of a form thinks its few
    /// submissions quicker read than looked up, and reads a million.
    private func ask(_ column: Statement, of ids: ArraySlice<UUID>) async throws -> [Rows] {
        try await connection.pipeline(
            ids.map { id in
                """
                SELECT \(fragment: column) FROM submission s WHERE s.form_id = \(question.formID) AND s.id = \(id)
                """
            })
    }
}
