import Domain
import Foundation
import Postgres

/// One form counted anew beside what is stored of it.
struct Recount: Sendable {
    let formID: UUID
    let meetingID: UUID
    private(set) var submissions = 0
    /// Tally rows compared: those stored and those that should be.
    private(set) var tallies = 0
    private(set) var differences: [Verification.Difference] = []
    private var counted: [TallyKey: Int] = [:]

    /// Counts in the transaction that `connection` is in.
    static func make(
        _ formID: UUID, _ meetingID: UUID, on connection: Connection, progress: @Sendable (Int) -> Void
    ) async throws -> Recount {
        var recount = Recount(formID: formID, meetingID: meetingID)
        try await recount.count(on: connection, progress)
        try await recount.compare(on: connection)
        return recount
    }

    private init(formID: UUID, meetingID: UUID) {
        self.formID = formID
        self.meetingID = meetingID
    }

    private mutating func count(on connection: Connection, _ progress: @Sendable (Int) -> Void) async throws {
        var versions: [Int: PreparedForm] = [:]
        for row in try await connection.query("SELECT version, definition FROM form_version WHERE form_id = \(formID)")
        {
            let (version, definition) = try row.decode(Int.self, String.self)
            versions[version] = PreparedForm(try FormDefinition(json: StoredJSON.parse(definition)))
        }
        var unknown: [Int: Int] = [:]
        let stream = connection.rows(
            "SELECT version, answers FROM submission WHERE form_id = \(formID) AND NOT withdrawn")
        for try await rows in stream {
            for row in rows {
                let (version, stored) = try row.decode(Int.self, String.self)
                guard let form = versions[version] else {
                    unknown[version, default: 0] += 1
                    continue
                }
                let answers = Answers.read(stored: try StoredJSON.parse(stored), in: form)
                for key in form.tally(answers) { counted[key, default: 0] += 1 }
            }
            submissions += rows.count
            progress(submissions)
        }
        for (version, count) in unknown.sorted(by: { $0.key < $1.key }) {
            differ(.version, bucket: "\(version)", stored: count, counted: 0)
        }
    }

    private mutating func compare(on connection: Connection) async throws {
        let state = try await connection.query("SELECT submissions FROM form_state WHERE form_id = \(formID)")
        let stored = try state.first?.decode(Int.self) ?? 0
        if stored != submissions { differ(.submissions, stored: stored, counted: submissions) }

        var missing = counted
        let rows = try await connection.query(
            "SELECT question, bucket, count FROM tally WHERE form_id = \(formID) ORDER BY question, bucket")
        for row in rows {
            let (question, bucket, count) = try row.decode(String.self, String.self, Int.self)
            let number = missing.removeValue(forKey: TallyKey(question: question, bucket: bucket)) ?? 0
            if number != count { differ(.tally, question, bucket: bucket, stored: count, counted: number) }
        }
        for (key, number) in missing.sorted(by: { $0.key < $1.key }) {
            differ(.tally, key.question, bucket: key.bucket, stored: 0, counted: number)
        }
        tallies = rows.count + missing.count
        try await compareTimeline(on: connection)
    }

    /// In SQL, since a timeline may be as long as its submissions are many.
    private mutating func compareTimeline(on connection: Connection) async throws {
        let rows = try await connection.query(
            """
            SELECT coalesce(t.at, c.at)::text, coalesce(t.count, 0), coalesce(c.count, 0)
            FROM (SELECT at, count FROM timeline WHERE form_id = \(formID)) t
            FULL JOIN (\(fragment: timeline)) c ON c.at = t.at
            WHERE coalesce(t.count, 0) <> coalesce(c.count, 0)
            ORDER BY coalesce(t.at, c.at)
            """)
        for row in rows {
            let (at, stored, counted) = try row.decode(String.self, Int.self, Int.self)
            differ(.timeline, bucket: at, stored: stored, counted: counted)
        }
    }

    /// What ingest adds up: by minute, by day where the form is anonymous.
    private var timeline: Statement {
        """
        SELECT date_trunc(CASE WHEN fs.anonymous THEN 'day' ELSE 'minute' END,
            coalesce(s.submitted_at, s.submitted_on::timestamp AT TIME ZONE 'UTC'), 'UTC') AS at, count(*) AS count
        FROM submission s JOIN form_state fs ON fs.form_id = s.form_id
        WHERE s.form_id = \(formID) AND NOT s.withdrawn
        GROUP BY 1
        """
    }

    private mutating func differ(
        _ what: Verification.Difference.What, _ question: String? = nil, bucket: String? = nil, stored: Int,
        counted: Int
    ) {
        differences.append(
            Verification.Difference(
                formID: formID, meetingID: meetingID, what: what, question: question, bucket: bucket, stored: stored,
                counted: counted))
    }
}

extension Recount {
    /// Whether there is something to mend, and every submission could be counted.
    var isMendable: Bool { !differences.isEmpty && !differences.contains { $0.what == .version } }

    /// Makes the stored numbers those that were counted; the caller holds the form's lock.
    func write(on connection: Connection) async throws {
        let wrong = differences.filter { $0.what == .tally }
        let questions = wrong.compactMap(\.question)
        let buckets = wrong.compactMap(\.bucket)
        try await connection.execute(
            """
            INSERT INTO tally (form_id, question, bucket, count)
            SELECT \(formID), d.question, d.bucket, d.count
            FROM unnest(\(questions), \(buckets), \(wrong.map { Int64($0.counted) })) AS d (question, bucket, count)
            ORDER BY d.question, d.bucket
            ON CONFLICT (form_id, question, bucket) DO UPDATE SET count = excluded.count
            """)
        if differences.contains(where: { $0.what == .timeline }) {
            try await connection.execute("DELETE FROM timeline WHERE form_id = \(formID)")
            try await connection.execute(
                """
                INSERT INTO timeline (form_id, at, count)
                SELECT \(formID), c.at, c.count FROM (\(fragment: timeline)) c
                """)
        }
        try await connection.execute(
            """
            UPDATE form_state SET submissions = \(submissions), revision = revision + 1 WHERE form_id = \(formID)
            """)
        try await connection.query(IngestStatement.notification(formID))
    }
}
