import Cryptography
import Domain
import Foundation
import Postgres
import StrictJSON

extension Importer {
    /// Returns the import targets of the meetings. Creates each missing meeting with a published and closed form of
    /// these questions. Adds missing options to the form of an existing meeting.
    ///
    /// Returns a problem for a meeting that can't be created or accepts no rows. Throws `ImportMismatch` and
    /// `ImportAccessDenied` as `find` does.
    ///
    /// - Parameter identity: The identity of the new forms. It determines whether results have a response rate.
    public func create(
        _ meetings: [ImportedMeeting], asking questions: ImportedQuestions, identity: FormDefinition.Identity = .open,
        for host: Account
    ) async throws -> [Result<ImportTarget, Problem>] {
        let inserted: Set<UUID>
        do {
            inserted = try await pool.transaction {
                try await insert(meetings, questions, identity, for: host.id, on: $0)
            }
        } catch let error as PostgresError where error.violates("meeting_no_overlap") {
            guard meetings.count > 1 else { return [.failure(Problem(.meetingOverlap))] }
            var targets: [Result<ImportTarget, Problem>] = []
            for meeting in meetings {
                targets += try await create([meeting], asking: questions, identity: identity, for: host)
            }
            return targets
        }
        let acceptances = try await findTargets(for: meetings, asking: questions)
        var targets: [Result<ImportTarget, Problem>] = []
        for meeting in meetings {
            switch acceptances[meeting.id] {
            case .accepted(var target):
                target.isNew = inserted.contains(meeting.id)
                targets.append(.success(target))
            case .lacksOptions(var target):
                (target.version, target.optionIds) = try await addOptions(to: meeting, asking: questions, by: host.id)
                targets.append(.success(target))
            case .refused(let problem): targets.append(.failure(problem))
            case nil: targets.append(.failure(Problem(.notFound)))
            }
        }
        return targets
    }

    /// Publishes a version of the meeting's form with the missing options, by the same rules as every edit. Returns the
    /// number of the version and the translation of option ids.
    ///
    /// New options get their ids under a lock, because another import may add options to another round at the same
    /// time.
    private func addOptions(
        to meeting: ImportedMeeting, asking questions: ImportedQuestions, by accountID: UUID
    ) async throws -> (version: Int, optionIds: [String: [String: String]]) {
        _ = try await forms.save(
            meetingID: meeting.id, by: accountID, authorize: { try await lockSeries([meeting.seriesID], on: $0) }
        ) { form, connection in
            let seriesID = try await connection.query("SELECT series_id FROM meeting WHERE id = \(form.meetingID)")
                .requireFirst().decode(UUID.self)
            try await Self.lockOptions(of: [seriesID], on: connection)
            let fits = try await FormFit.find(of: [(form.id, seriesID)], asking: questions, on: connection)
            switch fits[form.id]?.fit {
            case .wider(let wider):
                var definition = form.definition
                definition.questions = wider
                return definition
            case .different(let keys):
                throw ImportMismatch(series: meeting.series, meeting: meeting.title, keys: keys)
            case .covered, nil: return nil
            }
        }
        guard let acceptance = try await findTargets(for: [meeting], asking: questions)[meeting.id],
            case .accepted(let target) = acceptance
        else {
            throw Problem(.formNotOpen, "The form of the meeting “\(meeting.title)” was changed during the import.")
        }
        return (target.version, target.optionIds)
    }

    /// Locks the options of these series until the transaction ends, so that no other import assigns ids to them.
    private static func lockOptions(of seriesIDs: [UUID], on connection: Connection) async throws {
        try await connection.query(
            """
            SELECT pg_advisory_xact_lock(hashtextextended('options ' || s.id, 0))
            FROM (SELECT id FROM unnest(\(seriesIDs)) AS u (id) ORDER BY id) s
            """)
    }

    /// Returns the questions of a new round of each series, with the series' option ids. Locks the options of the
    /// series.
    ///
    /// Throws 422 if an option has the label of another option in the newest round. The same rule applies to publishing
    /// a draft.
    private func assignOptionIDs(
        to questions: ImportedQuestions, in seriesIDs: [UUID], on connection: Connection
    ) async throws -> [UUID: NamedQuestions] {
        let choices = questions.questions.filter { $0.kind.name == .choice }.map(\.key)
        try await Self.lockOptions(of: seriesIDs, on: connection)
        let optionsBySeries = try await SeriesOptions.read(of: seriesIDs, questions: choices, on: connection)
        let newQuestions = questions.named(by: [:])
        return try Dictionary(
            seriesIDs.map { id in
                guard let series = optionsBySeries[id] else { return (id, newQuestions) }
                let named = questions.named(by: series.names)
                let faults = named.questions.enumerated().flatMap { index, question in
                    series.latest.faults(of: question, at: "/questions/\(index)")
                }
                guard faults.isEmpty else { throw Problem(faults) }
                return (id, named)
            }, uniquingKeysWith: { first, _ in first })
    }

    /// Inserts those of the requested meetings that do not exist, and returns their ids.
    private func insert(
        _ requested: [ImportedMeeting], _ questions: ImportedQuestions, _ identity: FormDefinition.Identity,
        for hostID: UUID, on connection: Connection
    ) async throws -> Set<UUID> {
        let ids = Array(Set(requested.map(\.seriesID))).sorted()
        let series = Dictionary(
            requested.filter { !$0.isInExistingSeries }.map { ($0.seriesID, $0.series) },
            uniquingKeysWith: { first, _ in first }
        ).sorted { $0.key < $1.key }
        try await connection.execute(
            """
            INSERT INTO series (id, owner_id, title, code)
            SELECT u.id, \(hostID), u.title, u.code
            FROM unnest(\(series.map(\.key)), \(series.map(\.value)), \(series.map { _ in FormCode.make(13) }))
                AS u (id, title, code)
            ON CONFLICT (id) DO NOTHING
            """)
        // Round numbers are assigned under this lock.
        try await connection.query("SELECT 1 FROM series WHERE id = ANY (\(ids)) ORDER BY id FOR UPDATE")
        try await checkAccess(toSeriesOf: requested, on: connection)
        let meetings = try await newMeetings(among: requested, on: connection)
        guard !meetings.isEmpty else { return [] }
        let questionsBySeries = try await assignOptionIDs(
            to: questions, in: Array(Set(meetings.map(\.seriesID))), on: connection)
        try await lockTimes(ofOwnersOf: ids, on: connection)
        // As everywhere, the host of a round is the owner of its series.
        try await connection.execute(
            """
            INSERT INTO meeting (id, series_id, host_id, round, title, starts_at, ends_at, allow_overlap, time_zone,
                check_in_code)
            SELECT u.id, u.series_id, s.owner_id, u.round, u.title, u.starts_at, u.ends_at, u.allow_overlap, u.time_zone,
                u.code
            FROM unnest(\(meetings.map(\.id)), \(meetings.map(\.seriesID)), \(meetings.map { Int32($0.round) }),
                \(meetings.map(\.title)), \(meetings.map(\.startsAt)), \(meetings.map(\.endsAt)),
                \(meetings.map(\.allowsOverlap)), \(meetings.map(\.timeZone)),
                \(meetings.map { _ in FormCode.make(13) }))
                AS u (id, series_id, round, title, starts_at, ends_at, allow_overlap, time_zone, code)
            JOIN series s ON s.id = u.series_id
            """)
        try await connection.execute(
            """
            UPDATE series AS s SET rounds = greatest(s.rounds, r.last)
            FROM (SELECT series_id, max(round) AS last FROM meeting WHERE series_id = ANY (\(ids))
                GROUP BY series_id) r
            WHERE s.id = r.series_id
            """)
        // Most series have the same option ids, so their forms have the same questions and can be inserted together.
        let meetingsByQuestions = Dictionary(grouping: meetings) { meeting in
            ExactText((questionsBySeries[meeting.seriesID]?.questions ?? []).map(\.json.text).joined())
        }
        for meetings in meetingsByQuestions.values {
            let questions = questionsBySeries[meetings[0].seriesID]?.questions ?? []
            try await insertForms(of: meetings, questions, identity, on: connection)
        }
        try await connection.execute(
            """
            INSERT INTO audit (id, account_id, act, subject_id, detail)
            SELECT u.id, \(hostID), 'meeting.import', u.meeting_id,
                CASE WHEN u.source <> '' THEN jsonb_build_object('source', u.source) END
            FROM unnest(\(meetings.map { _ in UUIDv7.make() }), \(meetings.map(\.id)), \(meetings.map(\.source)))
                AS u (id, meeting_id, source)
            """)
        return Set(meetings.map(\.id))
    }

    /// Returns for each meeting whether rows were imported into it, but never exactly the rows that the file contains
    /// now. Rows are compared by their digests, which `create` and `recordSources` store.
    public func haveOtherSources(_ meetings: [ImportedMeeting]) async throws -> [Bool] {
        let rows = try await pool.query(
            """
            SELECT subject_id, array_agg(detail->>'source') FROM audit
            WHERE subject_id = ANY (\(meetings.map(\.id))) AND act = 'meeting.import' AND detail ? 'source'
            GROUP BY subject_id
            """)
        var sources: [UUID: [String]] = [:]
        for row in rows {
            let (id, digests) = try row.decode(UUID.self, [String].self)
            sources[id] = digests
        }
        return meetings.map { meeting in sources[meeting.id].map { !$0.contains(meeting.source) } ?? false }
    }

    /// Records in the audit trail that this file was imported into these meetings, once for each meeting. Call this
    /// method before their rows are written.
    public func recordSources(of meetings: [ImportedMeeting], for host: Account) async throws {
        try await pool.transaction { connection in
            try await lockSeries(Array(Set(meetings.map(\.seriesID))), on: connection)
            try await connection.execute(
                """
                INSERT INTO audit (id, account_id, act, subject_id, detail)
                SELECT u.id, \(host.id), 'meeting.import', u.meeting_id, jsonb_build_object('source', u.source)
                FROM unnest(\(meetings.map { _ in UUIDv7.make() }), \(meetings.map(\.id)), \(meetings.map(\.source)))
                    AS u (id, meeting_id, source)
                WHERE NOT EXISTS (SELECT FROM audit a WHERE a.subject_id = u.meeting_id AND a.act = 'meeting.import'
                    AND a.detail->>'source' = u.source)
                """)
        }
    }

    /// Locks the times of the meetings of the accounts that own these series, in the order of the accounts' ids.
    private func lockTimes(ofOwnersOf seriesIDs: [UUID], on connection: Connection) async throws {
        let rows = try await connection.query(
            "SELECT DISTINCT owner_id FROM series WHERE id = ANY (\(seriesIDs)) ORDER BY owner_id")
        for row in rows { try await Overlaps.lockTimes(of: try row.decode(UUID.self), on: connection) }
    }

    /// Returns the meetings that do not exist yet, each with a free round number: its preferred number or, if that is
    /// taken or the series was chosen, the number after the last round.
    private func newMeetings(
        among meetings: [ImportedMeeting], on connection: Connection
    ) async throws -> [ImportedMeeting] {
        let rows = try await connection.query(
            """
            SELECT id, series_id, round FROM meeting
            WHERE series_id = ANY (\(Array(Set(meetings.map(\.seriesID))))) OR id = ANY (\(meetings.map(\.id)))
            """)
        var existingIDs: Set<UUID> = []
        var rounds: [UUID: Set<Int>] = [:]
        for row in rows {
            let (id, seriesID, round) = try row.decode(UUID.self, UUID.self, Int.self)
            existingIDs.insert(id)
            rounds[seriesID, default: []].insert(round)
        }
        let last = try await lastRounds(of: meetings.filter(\.isInExistingSeries).map(\.seriesID), on: connection)
        return meetings.filter { !existingIDs.contains($0.id) }.map { meeting in
            var meeting = meeting
            let taken = rounds[meeting.seriesID, default: []]
            if meeting.isInExistingSeries {
                meeting.round = max(taken.max() ?? 0, last[meeting.seriesID] ?? 0) + 1
            } else if taken.contains(meeting.round) {
                meeting.round = (taken.max() ?? 0) + 1
            }
            rounds[meeting.seriesID, default: []].insert(meeting.round)
            return meeting
        }
    }

    /// Returns the highest round number that each series has had, also of a round that was deleted.
    private func lastRounds(of seriesIDs: [UUID], on connection: Connection) async throws -> [UUID: Int] {
        guard !seriesIDs.isEmpty else { return [:] }
        let rows = try await connection.query("SELECT id, rounds FROM series WHERE id = ANY (\(seriesIDs))")
        return try Dictionary(
            rows.map { row throws -> (UUID, Int) in try row.decode(UUID.self, Int.self) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Inserts a form for each meeting: closed, with one published version.
    private func insertForms(
        of meetings: [ImportedMeeting], _ questions: [Question], _ identity: FormDefinition.Identity,
        on connection: Connection
    ) async throws {
        let ids = meetings.map { _ in UUIDv7.make() }
        let defaults = FormDefinition(identity: identity, questions: questions)
        let definitions = meetings.map {
            FormDefinition(title: $0.title, identity: identity, questions: questions).json.text
        }
        try await connection.execute(
            """
            INSERT INTO form (id, meeting_id, code, join_code, definition, version)
            SELECT u.id, u.meeting_id, u.code, u.join_code, u.definition::jsonb, 1
            FROM unnest(\(ids), \(meetings.map(\.id)), \(ids.map { _ in FormCode.make(13) }),
                \(ids.map { _ in FormCode.make(8) }), \(definitions)) AS u (id, meeting_id, code, join_code, definition)
            """)
        try await connection.execute(
            """
            INSERT INTO form_state (form_id, state, notified, closed_at, key_id, once_only, minimum_group, show_results,
                grace_minutes, updated_at)
            SELECT u.id, 'closed', 'closed', clock_timestamp(), \(keys.newest), \(identity != .open),
                \(defaults.minimumGroup), \(defaults.showResults.rawValue), \(defaults.graceMinutes), clock_timestamp()
            FROM unnest(\(ids)) AS u (id)
            """)
        try await connection.execute(
            """
            INSERT INTO form_salt (form_id, salt)
            SELECT u.id, u.salt FROM unnest(\(ids), \(ids.map { _ in RandomBytes.make(32) })) AS u (id, salt)
            """)
        try await connection.execute(
            """
            INSERT INTO form_version (form_id, version, definition, asks, question_set)
            SELECT id, 1, definition, sha256(convert_to(\(defaults.questionSet.text), 'UTF8')), 1
            FROM form WHERE id = ANY (\(ids))
            """)
        try await connection.execute(
            """
            INSERT INTO question (form_id, key, position, definition, first_version, last_version)
            SELECT f.id, q.key, q.position - 1, q.definition::jsonb, 1, 1
            FROM unnest(\(ids)) AS f (id)
            CROSS JOIN unnest(\(questions.map(\.key)), \(questions.map(\.json.text)))
                WITH ORDINALITY AS q (key, definition, position)
            """)
    }
}
