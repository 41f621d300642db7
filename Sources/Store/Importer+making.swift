import Cryptography
import Domain
import Foundation
import Postgres
import StrictJSON

extension Importer {
    /// Makes what is not there, with forms of these questions that are published and closed, and finds the rest.
    ///
    /// A meeting that cannot be made, or takes no rows, is its problem instead. Throws `ImportMismatch` as `find` does.
    ///
    /// - Parameter identity: who could answer there, by which results know whether a response rate means anything.
    public func make(
        _ meetings: [ImportedMeeting], asking questions: [Question], identity: FormDefinition.Identity = .open,
        for host: Account
    ) async throws -> [Result<ImportPlace, Problem>] {
        let made: Set<UUID>
        do {
            made = try await pool.transaction { try await insert(meetings, questions, identity, for: host.id, on: $0) }
        } catch let error as PostgresError where error.violates("meeting_no_overlap") {
            guard meetings.count > 1 else { return [.failure(Problem(.meetingOverlap))] }
            var places: [Result<ImportPlace, Problem>] = []
            for meeting in meetings {
                places += try await make([meeting], asking: questions, identity: identity, for: host)
            }
            return places
        }
        let found = try await look(for: meetings, asking: questions)
        var places: [Result<ImportPlace, Problem>] = []
        for meeting in meetings {
            switch found[meeting.id] {
            case .place(var place):
                place.isNew = made.contains(meeting.id)
                places.append(.success(place))
            case .narrow(var place, let wider):
                place.version = try await widen(meeting.id, to: wider, by: host.id)
                places.append(.success(place))
            case .refused(let problem): places.append(.failure(problem))
            case nil: places.append(.failure(Problem(.notFound)))
            }
        }
        return places
    }

    /// Publishes a version with more options, by the rules for every edit; gives its number.
    private func widen(_ meetingID: UUID, to questions: [Question], by accountID: UUID) async throws -> Int {
        var definition = try await forms.require(meetingID: meetingID).definition
        definition.questions = questions
        return try await forms.save(definition, meetingID: meetingID, by: accountID) { _ in }.version
    }

    /// The ids of the meetings made.
    private func insert(
        _ all: [ImportedMeeting], _ questions: [Question], _ identity: FormDefinition.Identity, for hostID: UUID,
        on connection: Connection
    ) async throws -> Set<UUID> {
        let series = Dictionary(all.map { ($0.seriesID, $0.series) }, uniquingKeysWith: { first, _ in first })
            .sorted { $0.key < $1.key }
        try await connection.execute(
            """
            INSERT INTO series (id, owner_id, title, code)
            SELECT u.id, \(hostID), u.title, u.code
            FROM unnest(\(series.map(\.key)), \(series.map(\.value)), \(series.map { _ in FormCode.make(13) }))
                AS u (id, title, code)
            ON CONFLICT (id) DO NOTHING
            """)
        // Rounds are given out under this lock.
        try await connection.query(
            "SELECT 1 FROM series WHERE id = ANY (\(series.map(\.key))) ORDER BY id FOR UPDATE")
        let meetings = try await placed(all, on: connection)
        guard !meetings.isEmpty else { return [] }
        try await Overlaps.takeTurn(of: hostID, on: connection)
        try await connection.execute(
            """
            INSERT INTO meeting (id, series_id, host_id, round, title, starts_at, ends_at, time_zone, check_in_code)
            SELECT u.id, u.series_id, \(hostID), u.round, u.title, u.starts_at, u.ends_at, u.time_zone, u.code
            FROM unnest(\(meetings.map(\.id)), \(meetings.map(\.seriesID)), \(meetings.map { Int32($0.round) }),
                \(meetings.map(\.title)), \(meetings.map(\.startsAt)), \(meetings.map(\.endsAt)),
                \(meetings.map(\.timeZone)), \(meetings.map { _ in FormCode.make(13) }))
                AS u (id, series_id, round, title, starts_at, ends_at, time_zone, code)
            """)
        try await connection.execute(
            """
            UPDATE series AS s SET rounds = greatest(s.rounds, r.last)
            FROM (SELECT series_id, max(round) AS last FROM meeting WHERE series_id = ANY (\(series.map(\.key)))
                GROUP BY series_id) r
            WHERE s.id = r.series_id
            """)
        try await insertForms(of: meetings, questions, identity, on: connection)
        try await connection.execute(
            """
            INSERT INTO audit (id, account_id, act, subject_id)
            SELECT u.id, \(hostID), 'meeting.import', u.meeting_id
            FROM unnest(\(meetings.map { _ in UUIDv7.make() }), \(meetings.map(\.id))) AS u (id, meeting_id)
            """)
        return Set(meetings.map(\.id))
    }

    /// Those that are not there yet, each with a free round: its own, or else the next behind all.
    private func placed(_ meetings: [ImportedMeeting], on connection: Connection) async throws -> [ImportedMeeting] {
        let rows = try await connection.query(
            """
            SELECT id, series_id, round FROM meeting
            WHERE series_id = ANY (\(Array(Set(meetings.map(\.seriesID))))) OR id = ANY (\(meetings.map(\.id)))
            """)
        var known: Set<UUID> = []
        var rounds: [UUID: Set<Int>] = [:]
        for row in rows {
            let (id, seriesID, round) = try row.decode(UUID.self, UUID.self, Int.self)
            known.insert(id)
            rounds[seriesID, default: []].insert(round)
        }
        return meetings.filter { !known.contains($0.id) }.map { meeting in
            var meeting = meeting
            let taken = rounds[meeting.seriesID, default: []]
            if taken.contains(meeting.round) { meeting.round = (taken.max() ?? 0) + 1 }
            rounds[meeting.seriesID, default: []].insert(meeting.round)
            return meeting
        }
    }

    /// A form for each meeting, at its first version, closed.
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
            INSERT INTO form_state (form_id, state, told, closed_at, key_id, once_only, minimum_group, show_results,
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
            SELECT id, 1, definition, sha256(convert_to(\(defaults.asked.text), 'UTF8')), 1
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
