import Domain
import Foundation
import Postgres

/// One person's attendance and answers over all rounds of a series.
public struct PersonReport: Sendable {
    /// A round that has ended, or that the person attended. An undated round is also included if its form is
    /// answered by personal links and has closed.
    public struct Round: Sendable {
        public var meetingID: UUID
        public var number: Int
        public var title: String
        /// The day of the start in the meeting's time zone. For an undated round, the day on which the person checked
        /// in.
        public var date: String?
        /// Nil if the person is not on the attendee list.
        public var status: AttendanceStatus?
        /// Whether the person answered the form. Nil if this is unknown, because the form is anonymous or is not
        /// answered by personal links.
        public var answered: Bool?
        /// Whether the round counts toward attendance. An undated round counts only for people who attended it.
        public var counts = true
    }

    public var series: String
    /// The name on the roster, or if the person is not a member, on the newest attendee list.
    public var name: String?
    public var email: String
    /// The personal code.
    public var code: String?
    /// The rounds, the oldest first.
    public var rounds: [Round]
    /// The local days on which the person answered a form, sorted and without duplicates.
    public var daysAnswered: [String]

    public var counted: [Round] { rounds.filter(\.counts) }
    public var record: AttendanceRecord { AttendanceRecord(counted.map(\.status)) }
    public var answered: Int { rounds.count { $0.answered == true } }
    public var daysAttended: [String] {
        Set(rounds.filter { $0.status?.attended == true }.compactMap(\.date)).sorted()
    }
}

/// Reads the data of a series about one person, for its hosts and for the person.
public struct People: Sendable {
    let pool: Pool
    let keys: KeyRing

    /// Finds a person by the personal code. Throws 404 for an invalid code, and while the series is in the trash.
    public func find(code: String) async throws -> PersonReport {
        guard FormCode.isPlausible(code) else { throw Problem(.notFound) }
        let rows = try await pool.query(
            """
            SELECT p.series_id, p.email::text FROM person p JOIN series s ON s.id = p.series_id
            WHERE p.code = \(code) AND s.deleted_at IS NULL
            """)
        let (seriesID, email) = try rows.requireFirst().decode(UUID.self, String.self)
        return try await readReport(email, in: seriesID)
    }

    /// Finds a person by address. Throws 404 for an address that is not known in the series.
    public func find(email: EmailAddress, in seriesID: UUID) async throws -> PersonReport {
        try await readReport(email.text, in: seriesID)
    }

    private func readReport(_ email: String, in seriesID: UUID) async throws -> PersonReport {
        let headerRows = try await pool.query(
            """
            SELECT s.title, p.code, coalesce(p.email::text, \(email)), coalesce(
                (SELECT mb.name FROM member mb WHERE mb.series_id = s.id AND mb.email = \(email)::citext),
                (SELECT a.name FROM listed_attendee a JOIN meeting m ON m.id = a.meeting_id
                 WHERE m.series_id = s.id AND m.deleted_at IS NULL AND a.email = \(email)::citext
                 ORDER BY m.round DESC LIMIT 1))
            FROM series s LEFT JOIN person p ON p.series_id = s.id AND p.email = \(email)::citext
            WHERE s.id = \(seriesID)
            """)
        let (series, code, storedEmail, name) = try headerRows.requireFirst().decode(
            String.self, String?.self, String.self, String?.self)
        guard code != nil || name != nil else { throw Problem(.notFound) }
        let listed = try await rounds(of: email, in: seriesID)
        let answers = try await answers(listed)
        let rounds = listed.map { listed in
            var round = listed.round
            if let lookup = listed.lookup { round.answered = answers.keys.contains(lookup.formID) }
            return round
        }
        return PersonReport(
            series: series, name: name, email: storedEmail, code: code, rounds: rounds,
            daysAnswered: Set(answers.values.compactMap(\.self)).sorted())
    }

    /// Identifies the submission of a person to a form, if there is one. Its id is derived from the attendee's id.
    private struct Lookup {
        var formID: UUID
        var submissionID: UUID
        var timeZone: String
    }

    /// Returns the rounds in the order of their starts. An undated round is sorted by the person's check-in.
    private func rounds(
        of email: String, in seriesID: UUID
    ) async throws -> [(round: PersonReport.Round, lookup: Lookup?)] {
        let rows = try await pool.query(
            """
            SELECT m.id, m.round, m.title,
                to_char(coalesce(m.starts_at, a.checked_in_at) AT TIME ZONE m.time_zone, 'YYYY-MM-DD'),
                \(fragment: Attendee.status), m.ends_at IS NOT NULL OR coalesce(a.status IN ('present', 'late'), false),
                a.id, f.id, m.time_zone, fs.key_id, salt.salt
            FROM meeting m JOIN form f ON f.meeting_id = m.id JOIN form_state fs ON fs.form_id = f.id
                LEFT JOIN listed_attendee a ON a.meeting_id = m.id AND a.email = \(email)::citext
                LEFT JOIN form_salt salt ON salt.form_id = fs.form_id AND a.id IS NOT NULL AND NOT fs.anonymous
                    AND f.definition->>'identity' = 'attendee'
            WHERE m.series_id = \(seriesID) AND m.deleted_at IS NULL
                AND (m.ends_at <= clock_timestamp() OR a.status IN ('present', 'late')
                    OR m.ends_at IS NULL AND salt.salt IS NOT NULL AND (fs.state IN ('closed', 'final')
                        OR fs.state = 'open'
                            AND fs.closes_at + make_interval(mins => fs.grace_minutes) <= clock_timestamp()))
            ORDER BY coalesce(m.starts_at, a.checked_in_at, m.created_at), m.round
            """)
        return try rows.map { row in
            var columns = Columns(row)
            var round = PersonReport.Round(
                meetingID: try columns.next(), number: try columns.next(), title: try columns.next(),
                date: try columns.next())
            round.status = try columns.next(String?.self).flatMap(AttendanceStatus.init)
            round.counts = try columns.next()
            let (attendeeID, formID): (UUID?, UUID) = (try columns.next(), try columns.next())
            let (zone, keyID): (String, Int) = (try columns.next(), try columns.next())
            guard let attendeeID, let salt: [UInt8] = try columns.next() else { return (round, nil) }
            let keys = FormKeys(secret: try keys.key(keyID), salt: salt)
            return (round, Lookup(formID: formID, submissionID: keys.id(attendee: attendeeID), timeZone: zone))
        }
    }

    /// Returns the forms that the person has answered, each with the local day of the submission.
    private func answers(
        _ rounds: [(round: PersonReport.Round, lookup: Lookup?)]
    ) async throws -> [UUID: String?] {
        let lookups = rounds.compactMap(\.lookup)
        guard !lookups.isEmpty else { return [:] }
        let rows = try await pool.query(
            """
            SELECT s.form_id, to_char(s.submitted_at AT TIME ZONE u.zone, 'YYYY-MM-DD')
            FROM unnest(\(lookups.map(\.formID)), \(lookups.map(\.submissionID)), \(lookups.map(\.timeZone)))
                AS u (form_id, id, zone)
            JOIN submission s ON s.form_id = u.form_id AND s.id = u.id
            WHERE NOT s.withdrawn
            """)
        return try rows.reduce(into: [:]) { answers, row in
            let (formID, day) = try row.decode(UUID.self, String?.self)
            answers.updateValue(day, forKey: formID)
        }
    }
}
