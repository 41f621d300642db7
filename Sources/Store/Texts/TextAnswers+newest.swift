import Domain
import Foundation
import Postgres

extension TextAnswers {
    /// The maximum number of submissions that one statement reads for all questions.
    private static let sharedSubmissions = 100

    /// The first texts of a question.
    public struct FirstTexts: Sendable {
        public var texts: [TextAnswer] = []
        /// Whether the question has no others.
        public var isComplete = false

        fileprivate var bytes: Int { texts.reduce(0) { $0 + $1.text.utf8.count } }
    }

    /// Returns the first texts of several questions, at most `limit` of each, as the first page of `list` contains
    /// them. Returns none while the texts of an anonymous form may not be read, or after the answers were deleted.
    ///
    /// One statement reads the newest submissions for all questions. A question is read separately, with `list`, if
    /// these submissions contain fewer than `enough` of its texts, or long ones. All questions of an anonymous form are
    /// read separately, because each has its own order.
    ///
    /// - Parameters:
    ///   - choices: Those of the questions that are choices, whose own answers are read.
    ///   - maxBytes: The size of the texts after which no texts of further questions are read. These questions get no
    ///     texts, and are not complete.
    public func newest(
        of meeting: Meeting, questions keys: [String], choices: [String] = [], limit: Int, enough: Int? = nil,
        maxBytes: Int = .max
    ) async throws -> [String: FirstTexts] {
        guard !keys.isEmpty, meeting.form.answersExpiredAt == nil else { return [:] }
        var textsByKey: [String: FirstTexts] = [:]
        if !meeting.form.anonymous {
            textsByKey = try await newestTogether(
                of: meeting, questions: keys, choices: choices, limit: limit, enough: enough ?? limit)
        }
        var bytes = textsByKey.values.reduce(0) { $0 + $1.bytes }
        for key in keys where textsByKey[key] == nil {
            guard bytes < maxBytes else {
                textsByKey[key] = FirstTexts()
                continue
            }
            do {
                let page = try await list(of: meeting, question: key, limit: limit)
                let found = FirstTexts(texts: page.items, isComplete: page.next == nil)
                textsByKey[key] = found
                bytes += found.bytes
            } catch let problem as Problem where [.resultsWithheld, .answersDeleted].contains(problem.code) {
                // This applies to all questions.
                return [:]
            }
        }
        return textsByKey
    }

    /// Returns the texts of those questions for which the newest submissions are enough. Only short texts are read.
    private func newestTogether(
        of meeting: Meeting, questions keys: [String], choices: [String], limit: Int, enough: Int
    ) async throws -> [String: FirstTexts] {
        let rows = try await reading(for: .host) { connection in
            try await connection.query(
                """
                WITH newest AS MATERIALIZED (
                    SELECT s.id, s.submitted_at, s.withdrawn, s.hidden,
                        \(fragment: LongAnswers.isShort) AS is_short,
                        CASE WHEN \(fragment: LongAnswers.isShort) THEN s.answers END AS answers
                    FROM submission s WHERE s.form_id = \(meeting.form.id) AND s.submitted_at IS NOT NULL
                    ORDER BY s.submitted_at DESC, s.id DESC LIMIT \(Self.sharedSubmissions)
                )
                SELECT k.key, (SELECT count(*) FROM newest) < \(Self.sharedSubmissions), t.id, t.submitted_at, t.text
                FROM unnest(\(keys)) AS k (key) LEFT JOIN LATERAL (
                    SELECT n.id, n.submitted_at, CASE WHEN k.key = ANY (\(choices))
                        THEN jsonb_path_query_first(n.answers->k.key, '$.other') #>> '{}'
                        ELSE n.answers->>k.key END AS text
                    FROM newest n
                    WHERE NOT n.withdrawn AND NOT (k.key = ANY (coalesce(n.hidden, '{}')))
                        AND (NOT n.is_short OR CASE WHEN k.key = ANY (\(choices))
                            THEN jsonb_path_exists(n.answers->k.key, '$.other') ELSE n.answers ? k.key END)
                    ORDER BY n.submitted_at DESC, n.id DESC LIMIT \(limit)
                ) t ON true
                ORDER BY k.key, t.submitted_at DESC, t.id DESC
                """)
        }
        var (textsByKey, incomplete): ([String: FirstTexts], Set<String>) = ([:], [])
        // Whether the statement has read all submissions of the form.
        var hasReadAll = false
        for row in rows {
            let (key, isWholeForm, id, at, text) = try row.decode(
                String.self, Bool.self, UUID?.self, Date?.self, String?.self)
            hasReadAll = isWholeForm
            textsByKey[key] = textsByKey[key] ?? FirstTexts()
            guard let id else { continue }
            // A long submission's text is not known.
            guard let text else {
                incomplete.insert(key)
                continue
            }
            textsByKey[key]?.texts.append(TextAnswer(id: id, submittedAt: at, text: text, isHidden: false))
        }
        return textsByKey.filter { key, found in
            !incomplete.contains(key) && (hasReadAll || found.texts.count >= enough)
        }.mapValues { FirstTexts(texts: $0.texts, isComplete: hasReadAll && $0.texts.count < limit) }
    }
}
