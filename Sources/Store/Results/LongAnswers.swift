import Foundation
import Postgres

/// Reads submissions with long answers a few at a time.
///
/// Short ones are read by the thousand. But a submission may have a quarter of a megabyte: a thousand of those would
/// fill the memory of the machine, and the database decompresses each to read it.
struct LongAnswers {
    /// Whether the answers of `submission s` are stored in its row without compression. Compressed ones may be a
    /// hundred times as long as they are stored.
    static let isShort: Statement = "(pg_column_compression(s.answers) IS NULL AND pg_column_size(s.answers) <= 2048)"

    /// The number of submissions read together: within this range, as many as are expected to have `ideal` bytes.
    private static let together = 8...64
    private static let ideal = 1 << 20

    let question: TextQuestion
    /// The size after which a step reads no more.
    let bytes: Int
    let connection: Connection

    /// Returns the texts of these submissions, nil if the question was skipped: at least the first, and as many as the
    /// limits of size and time allow.
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

    /// Returns whether these submissions answer the question: at least for the first, and as many as the time allows.
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

    /// One query for each, in one pipeline: for many ids together, a planner without statistics of a form expects few
    /// submissions, chooses to scan them, and reads a million.
    private func ask(_ column: Statement, of ids: ArraySlice<UUID>) async throws -> [Rows] {
        try await connection.pipeline(
            ids.map { id in
                """
                SELECT \(fragment: column) FROM submission s WHERE s.form_id = \(question.formID) AND s.id = \(id)
                """
            })
    }
}
