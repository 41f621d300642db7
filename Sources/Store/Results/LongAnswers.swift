import Foundation
import Postgres

/// Reads the texts of long submissions, a few at a time.
///
/// Short submissions are read by the thousand. But a submission may take up a quarter of a megabyte, and the database
/// decompresses each one to read it, so a thousand long ones would need too much memory.
struct LongAnswers {
    /// A condition: whether the answers of `submission s` are short and stored without compression. The length of
    /// compressed answers may be a hundred times their stored size.
    static let isShort: Statement = "(pg_column_compression(s.answers) IS NULL AND pg_column_size(s.answers) <= 2048)"

    /// The minimum and maximum number of submissions read in one batch.
    private static let batchSizes = 8...64
    /// The size of the texts that a batch should have, in bytes.
    private static let targetBytes = 1 << 20

    let question: TextQuestion
    /// The size of the texts, in bytes, after which no further batch is read.
    let bytes: Int
    let connection: Connection

    /// Returns the texts of the first of these submissions: at least one batch, and as many as the limits for size and
    /// time allow. The text is nil if the question was skipped.
    func texts(of ids: [UUID], until end: ContinuousClock.Instant?) async throws -> [String?] {
        var (texts, bytesRead, batchSize): ([String?], Int, Int) = ([], 0, Self.batchSizes.lowerBound)
        while texts.count < ids.count {
            let answers = try await query(question.text, of: ids[texts.count...].prefix(batchSize))
            let bytesBefore = bytesRead
            for answer in answers {
                let text = try answer.requireFirst().decode(String?.self)
                bytesRead += text?.utf8.count ?? 0
                texts.append(text)
            }
            guard bytesRead < bytes, end.map({ .now < $0 }) ?? true else { break }
            let expected = Self.targetBytes * answers.count / max(bytesRead - bytesBefore, 1)
            batchSize = min(max(expected, Self.batchSizes.lowerBound), Self.batchSizes.upperBound)
        }
        return texts
    }

    /// Returns for the first of these submissions whether each answers the question: for at least one batch, and for as
    /// many as the time limit allows.
    func answered(_ ids: [UUID], until end: ContinuousClock.Instant?) async throws -> [Bool] {
        var answered: [Bool] = []
        while answered.count < ids.count {
            let batch = ids[answered.count...].prefix(Self.batchSizes.upperBound)
            for answer in try await query(question.text + " IS NOT NULL", of: batch) {
                answered.append(try answer.requireFirst().decode(Bool.self))
            }
            guard end.map({ .now < $0 }) ?? true else { break }
        }
        return answered
    }

    /// Reads columns of these submissions, with one query for each in one pipeline.
    ///
    /// With one query for many ids, a planner without statistics expects the form to have few submissions. It would
    /// then scan all of the form's submissions, which may be a million.
    func query(_ columns: Statement, of ids: some Collection<UUID>) async throws -> [Rows] {
        try await connection.pipeline(
            ids.map { id in
                """
                SELECT \(fragment: columns) FROM submission s WHERE s.form_id = \(question.formID) AND s.id = \(id)
                """
            })
    }
}
