import Domain
import Foundation
import Postgres

extension SeriesRounds {
    /// The largest number of submissions, over all rounds, whose authors are compared with themselves.
    static let maxPaired = 20_000
    /// The largest size of the compared answers of a submission, in bytes. Own words can make them longer.
    static let maxAnswerBytes = 4096

    /// Reads how the numbers of a round differ from those of earlier rounds. Throws 422 if there is too much to read at
    /// once.
    ///
    /// - Parameter keys: The questions. Nil for all of the form.
    public func changes(of meeting: Meeting, questions keys: [String]? = nil) async throws -> RoundChanges {
        let asked =
            if let keys { keys } else {
                try await readings.run(for: accountID) { connection in
                    try await Forms.questions(of: meeting.form.id, on: connection).filter { $0.kind.name != .text }
                        .map(\.key)
                } showing: { _ in
                    [:]
                } then: {
                    $0
                }
            }
        let trends = try await trends(of: meeting.seriesID, questions: asked, upTo: meeting.round).trends
        // Texts are not compared, and may be long.
        let compared = trends.map(\.question).filter { $0.kind.name != .text }.map(\.key)
        let earlier = trends.reduce(into: Set<UUID>()) { $0.formUnion($1.comparedMeetings(in: meeting.id)) }
        guard !earlier.isEmpty else { return RoundChanges([], in: meeting.id, pairs: [:]) }
        let meetingIDs = [meeting.id] + earlier.sorted { $0.uuidString < $1.uuidString }
        return try await readings.run(for: accountID) { connection in
            try await read(meetingIDs, keys: compared, on: connection)
        } showing: { _ in
            // Pairs are of named forms only, whose states are not recorded.
            [:]
        } then: { found in
            let pairs = try Self.pairs(of: found, with: meeting.id, trends.map(\.question))
            return RoundChanges(trends, in: meeting.id, pairs: pairs)
        }
    }

    /// A form with the answers of the people whom it names.
    private struct NamedForm: Sendable {
        var minimumGroup: Int
        var isNamed: Bool
        var isWithheld = false
        var submissions: Rows?
    }

    /// Reads the round, which comes first, and then earlier rounds until there are too many submissions.
    private func read(
        _ meetingIDs: [UUID], keys: [String], on connection: Connection
    ) async throws -> [UUID: NamedForm] {
        var forms: [UUID: NamedForm] = [:]
        let rows = try await connection.query(
            """
            SELECT m.id, f.id, fs.minimum_group, f.definition->>'identity' = 'attendee' AND NOT fs.anonymous
            FROM meeting m JOIN form f ON f.meeting_id = m.id JOIN form_state fs ON fs.form_id = f.id
            WHERE m.id = ANY (\(meetingIDs)) AND m.deleted_at IS NULL
            """)
        let found = try rows.map { try $0.decode(UUID.self, UUID.self, Int.self, Bool.self) }
        let shown = try ShownState.all(in: await states(of: found.map(\.1), on: connection))
        for (meetingID, formID, minimumGroup, isNamed) in found {
            forms[meetingID] = NamedForm(
                minimumGroup: minimumGroup, isNamed: isNamed, isWithheld: shown[formID]?.withheld != nil)
        }
        // Without the round itself nobody can be compared, and withheld answers are not read.
        guard let own = forms[meetingIDs[0]], own.isNamed, !own.isWithheld else { return forms }
        var rest = Self.maxPaired
        let formIDs = Dictionary(uniqueKeysWithValues: found.map { ($0.0, $0.1) })
        for meetingID in meetingIDs where forms[meetingID]?.isNamed == true && forms[meetingID]?.isWithheld == false {
            guard rest > 0, let formID = formIDs[meetingID] else { continue }
            let rows = try await submissions(of: formID, keys: keys, limit: rest + 1, on: connection)
            if rows.count <= rest { forms[meetingID]?.submissions = rows }
            rest -= rows.count
        }
        return forms
    }

    /// Reads the answers to some questions with the address of their author. Authors without an address cannot be
    /// recognized in another round, because names are not unique. Answers that are too long are null.
    private func submissions(
        of formID: UUID, keys: [String], limit: Int, on connection: Connection
    ) async throws -> Rows {
        try await connection.query(
            """
            SELECT lower(a.email::text), CASE WHEN octet_length(c.answers) <= \(Self.maxAnswerBytes) THEN c.answers END
            FROM submission s LEFT JOIN attendee a ON a.id = s.attendee_id
                CROSS JOIN LATERAL (SELECT coalesce(jsonb_object_agg(k, s.answers->k), '{}')::text AS answers
                    FROM unnest(\(keys)) k WHERE s.answers ? k) c
            WHERE s.form_id = \(formID) AND NOT s.withdrawn LIMIT \(limit)
            """)
    }

    /// Finds the people who answered in an earlier round and in this one, by the earlier meeting.
    private static func pairs(
        of forms: [UUID: NamedForm], with meetingID: UUID, _ questions: [Question]
    ) throws -> [UUID: RoundChanges.Pairs] {
        let questions = questions.map { question in
            var question = question
            // Stored answers are to questions that were asked.
            question.showIf = nil
            return question
        }
        let prepared = PreparedForm(questions: questions)
        guard let own = forms[meetingID] else { return [:] }
        let later = try own.submissions.flatMap { try people(in: $0, prepared) }
        var pairs: [UUID: RoundChanges.Pairs] = [:]
        for (id, form) in forms where id != meetingID {
            if !own.isNamed || !form.isNamed {
                pairs[id] = .unknown(.notNamed)
            } else if own.isWithheld || form.isWithheld {
                pairs[id] = .unknown(.withheld)
            } else if let later, let earlier = try form.submissions.flatMap({ try people(in: $0, prepared) }) {
                let everyone = Set(earlier.named.keys).union(later.named.keys)
                pairs[id] = .known(
                    everyone.map { (earlier.named[$0] ?? [:], later.named[$0] ?? [:]) }
                        + earlier.unnamed.map { ($0, [:]) } + later.unnamed.map { ([:], $0) },
                    minimumGroup: max(own.minimumGroup, form.minimumGroup))
            } else {
                pairs[id] = .unknown(.tooMany)
            }
        }
        return pairs
    }

    /// The buckets of the answers of one form, by the address of their author and by question. Nil if an answer is too
    /// long to be read.
    private static func people(
        in rows: Rows, _ form: PreparedForm
    ) throws -> (named: [String: [String: [String]]], unnamed: [[String: [String]]])? {
        var named: [String: [String: [String]]] = [:]
        var unnamed: [[String: [String]]] = []
        for row in rows {
            let (email, text) = try row.decode(String?.self, String?.self)
            guard let stored = text else { return nil }
            let answers = Answers.read(stored: try StoredJSON.parse(stored), in: form)
            var buckets: [String: [String]] = [:]
            for question in form.questions {
                guard let chosen = answers[question.key]?.buckets, !chosen.isEmpty else { continue }
                buckets[question.key] = chosen
            }
            if let email, named[email] == nil { named[email] = buckets } else { unnamed.append(buckets) }
        }
        return (named, unnamed)
    }
}
