import Domain
import Foundation
import Postgres
import StrictJSON

/// The tallies of one form, with the labels of the options.
public struct LabeledCounts: Sendable {
    public struct Option: Sendable {
        /// The option's label, the number of a rating, or `abstain`.
        public var label: String
        /// Labels in older versions of the form.
        public var earlierLabels: [String]
        public var isOther: Bool
        public var count: Int
    }

    public var submissions = 0
    /// The number of answers to each question, by question key, including abstentions.
    public var answered: [String: Int] = [:]
    /// The options of each question, by question key.
    public var options: [String: [Option]] = [:]
}

extension Verification {
    /// Returns the tallies of the meeting's form. Returns nil if the meeting does not exist or is in the trash.
    public func labeledCounts(of meetingID: UUID) async throws -> LabeledCounts? {
        try await pool.transaction(isolation: .repeatableRead) { connection in
            let forms = try await connection.query(
                """
                SELECT f.id, f.version, fs.submissions FROM meeting m JOIN series s ON s.id = m.series_id
                JOIN form f ON f.meeting_id = m.id JOIN form_state fs ON fs.form_id = f.id
                WHERE m.id = \(meetingID) AND m.deleted_at IS NULL AND s.deleted_at IS NULL
                """)
            guard let form = try forms.first?.decode(UUID.self, Int.self, Int.self) else { return nil }
            var counts = LabeledCounts(submissions: form.2)
            var tallies: [TallyKey: Int] = [:]
            for row in try await connection.query(
                """
                SELECT question, bucket, sum(count)::bigint FROM tally
                WHERE form_id = \(form.0) AND question <> '' GROUP BY question, bucket
                """)
            {
                let (question, bucket, count) = try row.decode(String.self, String.self, Int.self)
                tallies[TallyKey(question: question, bucket: bucket)] = count
            }
            var earlierLabels: [TallyKey: [String]] = [:]
            for option in try await Forms.options(of: form.0, before: form.1, on: connection) {
                earlierLabels[TallyKey(question: option.question, bucket: option.id), default: []].append(option.label)
            }
            for row in try await connection.query("SELECT definition FROM question WHERE form_id = \(form.0)") {
                let question = try Question(stored: row.decode(String.self))
                func tally(_ bucket: String) -> Int? { tallies[TallyKey(question: question.key, bucket: bucket)] }
                counts.answered[question.key] = tally(TallyKey.answered)
                counts.options[question.key] = QuestionResult.make(question: question, counts: [:]).points.map {
                    let key = TallyKey(question: question.key, bucket: $0.id)
                    return LabeledCounts.Option(
                        label: $0.label, earlierLabels: earlierLabels[key] ?? [], isOther: $0.id == TallyKey.other,
                        count: tallies[key] ?? 0)
                }
                if case .rating(let rating) = question.kind, rating.abstain != nil,
                    let abstained = tally(TallyKey.abstained)
                {
                    counts.answered[question.key, default: 0] += abstained
                    counts.options[question.key]?.append(
                        .init(label: Limits.abstention, earlierLabels: [], isOther: false, count: abstained))
                }
            }
            return counts
        }
    }
}
