import Domain
import Foundation
import Postgres
import StrictJSON

/// The series to which an account can add rounds by an import.
public struct ImportableSeries: Sendable {
    public struct Name: Sendable, Equatable {
        public var id: UUID
        public var title: String
        /// The number of rounds outside the trash.
        public var rounds: Int
    }

    /// A series, and what its published rounds ask.
    public struct Target: Sendable {
        public var name: Name
        /// Each key once, in its newest wording, with the options of all rounds that are counted together.
        public var questions: [Question]
    }

    /// The number of different lists of questions that are read, the newest first, and the length of all of them.
    private static let (maxLists, maxLength) = (50, 4 << 20)

    let pool: Pool

    /// Returns the account's own series and those that it may edit, the newest first. For an admin, the series of others
    /// are not listed.
    public func list(for principal: Principal, limit: Int) async throws -> [Name] {
        let accountID = principal.account.id
        let rows = try await pool.query(
            """
            SELECT s.id, s.title,
                (SELECT count(*) FROM meeting m WHERE m.series_id = s.id AND m.deleted_at IS NULL)
            FROM series s
            WHERE s.deleted_at IS NULL AND (s.owner_id = \(accountID) OR s.id IN (
                SELECT sh.series_id FROM series_host sh WHERE sh.account_id = \(accountID) AND sh.role = 'editor'))
            ORDER BY s.created_at DESC, s.id DESC LIMIT \(limit)
            """)
        return try rows.map { row in
            let (id, title, rounds) = try row.decode(UUID.self, String.self, Int.self)
            return Name(id: id, title: title, rounds: rounds)
        }
    }

    /// Returns the series. Throws `ImportAccessDenied` if it does not exist, is in the trash, or is not for the account
    /// to edit.
    ///
    /// - Parameter withQuestions: Whether to read the questions. They may have megabytes.
    public func require(_ id: UUID, for principal: Principal, withQuestions: Bool = true) async throws -> Target {
        let rows = try await pool.query(
            """
            SELECT \(fragment: Access.role(of: principal)), s.deleted_at IS NOT NULL, s.title,
                (SELECT count(*) FROM meeting m WHERE m.series_id = s.id AND m.deleted_at IS NULL)
            FROM series s WHERE s.id = \(id)
            """)
        guard let row = rows.first else { throw ImportAccessDenied() }
        let (role, isInTrash, title, rounds) = try row.decode(String?.self, Bool.self, String.self, Int.self)
        guard !isInTrash, let access = Access(role: role), access >= .editor else { throw ImportAccessDenied() }
        let questions = try await withQuestions ? Self.questions(of: id, in: pool) : []
        return Target(name: Name(id: id, title: title, rounds: rounds), questions: questions)
    }

    /// Returns what the published rounds of a series ask, without those in the trash.
    static func questions(of seriesID: UUID, in pool: Pool) async throws -> [Question] {
        let rows = try await pool.query(
            """
            WITH lists AS (
                SELECT v.definition->>'questions' AS questions, max(m.round) AS round
                FROM meeting m
                JOIN form f ON f.meeting_id = m.id
                JOIN form_version v ON v.form_id = f.id AND v.version = f.version
                WHERE m.series_id = \(seriesID) AND m.deleted_at IS NULL
                GROUP BY 1
            ), measured AS (
                SELECT questions, round, sum(length(questions)) OVER (ORDER BY round DESC) AS length FROM lists
            )
            SELECT questions, round FROM measured WHERE length - length(questions) < \(maxLength)
            ORDER BY round DESC LIMIT \(maxLists)
            """)
        let wordings = try rows.flatMap { row throws -> [QuestionPool.Wording] in
            let (text, round) = try row.decode(String.self, Int.self)
            return try FormDefinition.readQuestions(StoredJSON.parse(text)).map {
                QuestionPool.Wording(question: $0, rounds: [round])
            }
        }
        return QuestionPool.all(of: wordings).map(\.question)
    }
}

/// The error for a new round of an existing series whose questions do not fit those of the other rounds.
public struct ImportSeriesMismatch: Error, Sendable, Equatable, CustomStringConvertible {
    public var series: String
    /// The keys of questions of another kind or scale than the question of this key in the other rounds.
    public var kinds: [String]
    /// The keys of choices in which an option has the id of one option of the newest round, and the label of another.
    public var options: [String]

    public var description: String {
        let keys = (kinds.isEmpty ? options : kinds).joined(separator: ", ")
        let rule =
            kinds.isEmpty
            ? "with other labels for the same options (\(keys)): use the ids and labels of its newest round"
            : "of another kind or scale with the same keys (\(keys)): use the same kind and scale, or other keys"
        return "The series “\(series)” has questions \(rule)."
    }
}

extension Importer {
    /// Throws `ImportSeriesMismatch` if answers to these questions could not be counted with the other rounds.
    func requireFit(of asked: ImportedQuestions, with seriesID: UUID) async throws {
        let published = try await ImportableSeries.questions(of: seriesID, in: pool)
        let known = Dictionary(published.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        let kinds = asked.questions.filter { question in
            known[question.key].map { !$0.isComparable(with: question) } ?? false
        }
        let choices = asked.questions.filter { $0.kind.name == .choice }.map(\.key)
        let options = try await pool.withConnection {
            try await SeriesOptions.read(of: [seriesID], questions: choices, on: $0)
        }
        let series = options[seriesID]
        let mislabeled = asked.named(by: series?.names ?? [:]).questions.filter { question in
            series.map { !$0.latest.faults(of: question, at: "").isEmpty } ?? false
        }
        guard !kinds.isEmpty || !mislabeled.isEmpty else { return }
        let rows = try await pool.query("SELECT title FROM series WHERE id = \(seriesID)")
        throw ImportSeriesMismatch(
            series: try rows.first?.decode(String.self) ?? "", kinds: kinds.map(\.key), options: mislabeled.map(\.key))
    }
}
