import Domain
import Foundation
import Postgres

extension ExportReader {
    /// Throws 410 if the answers to this meeting's form were deleted, and 409 while those to an anonymous form must not
    /// be read.
    public func requireReleased(_ meetingID: UUID) async throws {
        try await source.snapshot { try await AnonymousRelease.require(meetingID, on: $0) }
    }

    /// Passes the answers of an anonymous form to `consume`, each with the star and the tags of its text. Each answer and each selected option is an entry of its
    /// own, so that nothing links the answers of one person, not even the options that a person selected together.
    ///
    /// Ratings and options are grouped by value, so that their order reveals nothing. Texts, including those of
    /// `other`, are ordered for each question with a key from the secret file.
    ///
    /// Reads one snapshot, in which the form must be closed and settled; throws 409 otherwise. With several snapshots,
    /// a host who reads slowly and reopens the form in the meantime could see the next participant's answers
    /// separately.
    public func anonymousAnswers(
        of meeting: Meeting, isolation: isolated (any Actor)? = #isolation,
        _ consume: ([(entry: Answers.Entry, marks: TextMarks)]) async throws -> Void
    ) async throws {
        try await source.snapshot { connection in
            try await AnonymousRelease.require(meeting.id, on: connection)
            let formID = meeting.form.id
            for question in try await Forms.questions(of: formID, on: connection) {
                for (entry, count) in try await bucketCounts(of: question, in: formID, on: connection) {
                    for start in stride(from: 0, to: count, by: Self.chunkSize) {
                        let count = min(Self.chunkSize, count - start)
                        try await consume(Array(repeating: (entry, TextMarks.none), count: count))
                    }
                }
                let order = try await AnswerKeyDerivation(keys: keys).position(
                    of: formID, question: question.key, on: connection)
                guard let texts = Self.texts(of: question, formID, by: order) else { continue }
                for try await rows in connection.rows(texts) {
                    try await consume(
                        rows.map { row in
                            let (text, marks) = try row.decode(String.self, String?.self)
                            return (question.entry(text: text), try TextMarks(stored: marks))
                        })
                }
            }
        }
    }

    /// The maximum number of equal answers that are passed at once.
    private static let chunkSize = 512

    /// Returns each rating or option with its count, in the form's order.
    private func bucketCounts(
        of question: Question, in formID: UUID, on connection: Connection
    ) async throws -> [(Answers.Entry, Int)] {
        guard let order = question.bucketOrder else { return [] }
        let rows = try await connection.query(
            """
            SELECT g.answer #>> '{}', count(*) FROM (
                SELECT jsonb_array_elements(CASE jsonb_typeof(s.answers->\(question.key))
                    WHEN 'array' THEN s.answers->\(question.key)
                    ELSE jsonb_build_array(s.answers->\(question.key)) END) AS answer
                FROM submission s
                WHERE s.form_id = \(formID) AND NOT s.withdrawn AND s.answers ? \(question.key)
                    AND \(fragment: ShownState.isSubmissionShown(of: formID))) g
            WHERE jsonb_typeof(g.answer) IN ('string', 'number') GROUP BY 1
            """)
        let counts = try rows.map { try $0.decode(String.self, Int.self) }
        let positions = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
        return counts.sorted { (positions[$0.0] ?? .max, $0.0) < (positions[$1.0] ?? .max, $1.0) }
            .map { (question.entry(bucket: $0.0), $0.1) }
    }

    /// A statement that selects the texts of a question; nil if the question has none.
    private static func texts(of question: Question, _ formID: UUID, by order: Statement) -> Statement? {
        var text: Statement
        switch question.kind {
        case .rating: return nil
        case .text: text = "s.answers->>\(question.key)"
        case .choice(let choice):
            guard choice.other else { return nil }
            text = "jsonb_path_query_first(s.answers->\(question.key), '$.other') #>> '{}'"
        }
        text = "(" + text + ")"
        return """
            SELECT \(fragment: text), s.marks->>\(question.key) FROM submission s
            WHERE s.form_id = \(formID) AND NOT s.withdrawn AND \(fragment: text) IS NOT NULL
                AND NOT \(question.key) = ANY (coalesce(s.hidden, '{}'))
                AND \(fragment: ShownState.isSubmissionShown(of: formID))
            ORDER BY \(fragment: order)
            """
    }
}

extension Question {
    /// The stored ratings or options in the form's order, with the abstention last; nil for a text question.
    fileprivate var bucketOrder: [String]? {
        switch kind {
        case .text: nil
        case .rating(let rating): (rating.min...rating.max).map(String.init) + [Limits.abstention]
        case .choice(let choice): choice.options.map(\.id)
        }
    }

    fileprivate func entry(bucket id: String) -> Answers.Entry {
        if case .rating = kind { return Answers.Entry(key, Int(id).map { .rating($0) } ?? .abstention) }
        return Answers.Entry(key, .choice([id], other: nil))
    }

    fileprivate func entry(text: String) -> Answers.Entry {
        if case .text = kind { return Answers.Entry(key, .text(text)) }
        return Answers.Entry(key, .choice([], other: text))
    }
}
