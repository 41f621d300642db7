import Domain
import Foundation
import Postgres

extension ExportReader {
    /// Throws 409 while single answers of this meeting must not be read; does nothing for a form that is not anonymous.
    public func requireReleased(_ meetingID: UUID) async throws {
        try await pool.snapshot { try await AnonymousRelease.require(meetingID, on: $0) }
    }

    /// Passes the answers of an anonymous form to `take`, each as a single answer or selection, so that nothing links
    /// two of them: neither answers to two questions nor two selections of one person. Equal answers come together, so
    /// their order reveals nothing. Texts, including those of `other`, come in an order per question that only the
    /// secret file can reproduce.
    ///
    /// Reads one snapshot, in which the form must be closed and settled; throws 409 otherwise. In several snapshots, a
    /// slow reader who reopens the form could see the next participant's answers alone.
    public func anonymousAnswers(
        of meeting: Meeting, isolation: isolated (any Actor)? = #isolation,
        _ take: ([Answers.Entry]) async throws -> Void
    ) async throws {
        try await pool.snapshot { connection in
            try await AnonymousRelease.require(meeting.id, on: connection)
            let formID = meeting.form.id
            for question in try await Forms.questions(of: formID, on: connection) {
                for (entry, count) in try await equalAnswers(to: question, of: formID, on: connection) {
                    for start in stride(from: 0, to: count, by: Self.piece) {
                        try await take(Array(repeating: entry, count: min(Self.piece, count - start)))
                    }
                }
                let order = try await AnswerNames(keys: keys).name(of: formID, question: question.key, on: connection)
                guard let texts = Self.texts(of: question, formID, by: order) else { continue }
                for try await rows in connection.rows(texts) {
                    try await take(rows.map { try question.entry(text: $0.decode(String.self)) })
                }
            }
        }
    }

    /// The number of equal answers that are passed at once.
    private static let piece = 512

    /// Each rating or option with its count, in the form's order.
    private func equalAnswers(
        to question: Question, of formID: UUID, on connection: Connection
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
                    AND \(fragment: ShownState.holds(formID))) g
            WHERE jsonb_typeof(g.answer) IN ('string', 'number') GROUP BY 1
            """)
        let counts = try rows.map { try $0.decode(String.self, Int.self) }
        let places = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
        return counts.sorted { (places[$0.0] ?? .max, $0.0) < (places[$1.0] ?? .max, $1.0) }
            .map { (question.entry(bucket: $0.0), $0.1) }
    }

    /// Selects the texts of a question; nil if it has none.
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
            SELECT \(fragment: text) FROM submission s
            WHERE s.form_id = \(formID) AND NOT s.withdrawn AND \(fragment: text) IS NOT NULL
                AND NOT \(question.key) = ANY (coalesce(s.hidden, '{}')) AND \(fragment: ShownState.holds(formID))
            ORDER BY \(fragment: order)
            """
    }
}

extension Question {
    /// Ratings and options in the form's order; nil for a text question.
    fileprivate var bucketOrder: [String]? {
        switch kind {
        case .text: nil
        case .rating(let rating): (rating.min...rating.max).map(String.init)
        case .choice(let choice): choice.options.map(\.id)
        }
    }

    fileprivate func entry(bucket id: String) -> Answers.Entry {
        if case .rating = kind, let rating = Int(id) { return Answers.Entry(key, .rating(rating)) }
        return Answers.Entry(key, .choice([id], other: nil))
    }

    fileprivate func entry(text: String) -> Answers.Entry {
        if case .text = kind { return Answers.Entry(key, .text(text)) }
        return Answers.Entry(key, .choice([], other: text))
    }
}
