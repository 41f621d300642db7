import Domain
import Foundation
import Postgres

/// The questions that the rows of a file answer.
public struct ImportedQuestions: Sendable {
    public var questions: [Question]
    /// The keys of choices whose options are derived from the values in the file. In `questions` and in the rows, the
    /// ids of these options are derived from the file. A form uses the ids that the same labels already have in its
    /// series.
    public var derived: Set<String>

    public init(_ questions: [Question], derived: Set<String> = []) {
        self.questions = questions
        self.derived = derived
    }

    /// Returns the questions with the option ids of a form.
    ///
    /// - Parameter names: The known option ids and labels, by question key.
    func named(by names: [String: OptionNames]) -> NamedQuestions {
        var named = NamedQuestions(questions: questions)
        for index in questions.indices {
            let key = questions[index].key
            guard let choice = derivedChoice(questions[index]) else { continue }
            var renamed = choice
            renamed.options = (names[key] ?? OptionNames()).options(for: choice.options.map(\.label))
            named.questions[index].kind = .choice(renamed)
            named.ids[key] = Dictionary(
                zip(choice.options, renamed.options).filter { $0.id != $1.id }.map { ($0.id, $1.id) },
                uniquingKeysWith: { first, _ in first })
        }
        return named
    }

    /// Returns whether each value in the file is the label of a known option.
    func areCovered(by names: [String: OptionNames]) -> Bool {
        questions.allSatisfy { question in
            guard let choice = derivedChoice(question) else { return true }
            return names[question.key]?.covers(choice.options.map(\.label)) ?? choice.options.isEmpty
        }
    }

    private func derivedChoice(_ question: Question) -> Question.Choice? {
        guard derived.contains(question.key), case .choice(let choice) = question.kind else { return nil }
        return choice
    }
}

/// The questions of an import with the option ids of one form.
struct NamedQuestions: Sendable {
    var questions: [Question]
    /// Translates the option ids of the file to those of the form, by question key. Contains only ids that differ.
    var ids: [String: [String: String]] = [:]

    /// Returns the questions with the option labels of this version of the form, because a reworded option is still the
    /// same option.
    func worded(as version: [Question]) -> [Question] {
        let versionQuestions = Dictionary(version.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        return questions.map { question in
            guard ids[question.key] != nil, case .choice(var choice) = question.kind,
                case .choice(let versionChoice)? = versionQuestions[question.key]?.kind
            else { return question }
            let labels = Dictionary(
                versionChoice.options.map { ($0.id, $0.label) }, uniquingKeysWith: { first, _ in first })
            for index in choice.options.indices {
                choice.options[index].label = labels[choice.options[index].id] ?? choice.options[index].label
            }
            var worded = question
            worded.kind = .choice(choice)
            return worded
        }
    }
}

extension Answers {
    /// Returns the answers with the option ids replaced.
    ///
    /// - Parameter ids: The new ids by question key and old id.
    func renamed(_ ids: [String: [String: String]]) -> Answers {
        guard !ids.isEmpty else { return self }
        var answers = self
        for index in answers.entries.indices {
            guard let names = ids[entries[index].key], case .choice(let chosen, let other) = entries[index].answer
            else { continue }
            answers.entries[index].answer = .choice(chosen.map { names[$0] ?? $0 }, other: other)
        }
        return answers
    }
}

/// The current and former labels of the options of a series' choices, by question key.
struct SeriesOptions: Sendable {
    var names: [String: OptionNames] = [:]
    /// The labels of the newest published round. They are used to check a new round.
    var latest = OptionLabels()
    private var latestRound: Int?

    /// Reads the options of these questions from the published versions of the series' forms, newer rounds first.
    static func read(
        of seriesIDs: [UUID], questions keys: [String], on connection: Connection
    ) async throws -> [UUID: SeriesOptions] {
        guard !seriesIDs.isEmpty, !keys.isEmpty else { return [:] }
        let rows = try await connection.query(
            """
            WITH labelled AS (
                SELECT m.series_id, m.round, m.deleted_at IS NOT NULL AS trashed, q->>'key' AS key, o->>'id' AS id,
                    o->>'label' AS label, max(v.version) AS version
                FROM meeting m JOIN form f ON f.meeting_id = m.id JOIN form_version v ON v.form_id = f.id,
                    jsonb_array_elements(v.definition->'questions') q, jsonb_array_elements(q->'options') o
                WHERE m.series_id = ANY (\(seriesIDs)) AND q->>'key' = ANY (\(keys))
                GROUP BY 1, 2, 3, 4, 5, 6
            ), forms AS (
                SELECT series_id, round, trashed, key, id, array_agg(label ORDER BY version DESC, label) AS labels
                FROM labelled GROUP BY 1, 2, 3, 4, 5
            )
            SELECT series_id, key, id, labels, max(round), trashed FROM forms
            GROUP BY 1, 2, 3, 4, 6 ORDER BY 1, 2, 5 DESC, 3
            """)
        var optionsOfSeries: [UUID: SeriesOptions] = [:]
        for row in rows {
            let (seriesID, key, id, labels, round, trashed) = try row.decode(
                UUID.self, String.self, String.self, [String].self, Int.self, Bool.self)
            optionsOfSeries[seriesID, default: SeriesOptions()]
                .add(key, id, labels, round: trashed ? nil : round)
        }
        return optionsOfSeries
    }

    /// - Parameter round: The round number; nil for a round in the trash.
    private mutating func add(_ key: String, _ id: String, _ labels: [String], round: Int?) {
        names[key, default: OptionNames()].add(id, labels)
        guard let round else { return }
        if round > latestRound ?? 0 { (latest, latestRound) = (OptionLabels(), round) }
        guard round == latestRound else { return }
        for label in labels { latest.add(label, of: id, in: key) }
    }
}
