import Domain
import Foundation
import Postgres
import StrictJSON

/// The numbers of one form, counted again from the submissions and compared with the stored numbers.
struct Recount: Sendable {
    let formID: UUID
    let meetingID: UUID
    private(set) var submissions = 0
    /// The number of tally rows that are stored or should exist.
    private(set) var tallies = 0
    private(set) var differences: [Verification.Difference] = []
    /// The rows of `tally` whose stored count is wrong, with the correct count.
    private var wrong: [(row: Row, count: Int)] = []
    /// The correct count of each row of `tally`.
    private var counted: [Row: Int] = [:]

    /// The key of a row of `tally`.
    private struct Row: Hashable {
        var key: TallyKey
        var questionSet: Int
    }

    /// The sums of all submissions to one version.
    private struct Version {
        let questionSet: Int
        private let form: PreparedForm
        private var submissions = 0
        /// By the index in `tallyKeys`.
        private var sums: [Int]
        private var others: [TallyKey: Int] = [:]

        init(_ form: PreparedForm, _ questionSet: Int) {
            (self.form, self.questionSet) = (form, questionSet)
            sums = Array(repeating: 0, count: form.tallyKeys.count)
        }

        mutating func add(_ stored: JSONValue) {
            let increments = form.increments(Answers.read(stored: stored, in: form))
            submissions += 1
            for index in increments.indices { sums[Int(index)] += 1 }
            for key in increments.others { others[key, default: 0] += 1 }
        }

        /// The counts above zero.
        var counts: [TallyKey: Int] {
            var counts = others
            for (key, sum) in zip(form.tallyKeys, sums) where sum > 0 { counts[key] = sum }
            if submissions > 0 { counts[TallyKey(question: "", bucket: TallyKey.submissions)] = submissions }
            return counts
        }
    }

    /// Counts and compares in the transaction of `connection`.
    static func run(
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
        var versions: [Int: Version] = [:]
        let published = try await connection.query(
            "SELECT version, definition, question_set FROM form_version WHERE form_id = \(formID)")
        for row in published {
            let (version, definition, questionSet) = try row.decode(Int.self, String.self, Int.self)
            versions[version] = Version(
                PreparedForm(try FormDefinition(json: StoredJSON.parse(definition))), questionSet)
        }
        var unknown: [Int: Int] = [:]
        let stream = connection.rows(
            "SELECT version, answers FROM submission WHERE form_id = \(formID) AND NOT withdrawn")
        for try await rows in stream {
            for row in rows {
                let (version, stored) = try row.decode(Int.self, String.self)
                if try versions[version]?.add(StoredJSON.parse(stored)) == nil { unknown[version, default: 0] += 1 }
            }
            submissions += rows.count
            progress(submissions)
        }
        for version in versions.values {
            for (key, count) in version.counts {
                counted[Row(key: key, questionSet: version.questionSet), default: 0] += count
            }
        }
        for (version, count) in unknown.sorted(by: { $0.key < $1.key }) {
            differ(.version, bucket: "\(version)", stored: count, counted: 0)
        }
    }

    private mutating func compare(on connection: Connection) async throws {
        let state = try await connection.query("SELECT submissions FROM form_state WHERE form_id = \(formID)")
        let stored = try state.first?.decode(Int.self) ?? 0
        if stored != submissions { differ(.submissions, stored: stored, counted: submissions) }

        var unstored = counted
        let rows = try await connection.query(
            """
            SELECT question, bucket, question_set, count FROM tally
            WHERE form_id = \(formID) AND (question <> '' OR bucket <> \(TallyKey.changes))
            ORDER BY question, bucket, question_set
            """)
        for row in rows {
            let (question, bucket, questionSet, count) = try row.decode(
                String.self, String.self, Int.self, Int.self)
            let key = Row(key: TallyKey(question: question, bucket: bucket), questionSet: questionSet)
            let number = unstored.removeValue(forKey: key) ?? 0
            if number != count { differ(key, stored: count, counted: number) }
        }
        for (key, number) in unstored.sorted(by: { ($0.key.key, $0.key.questionSet) < ($1.key.key, $1.key.questionSet) }
        ) {
            differ(key, stored: 0, counted: number)
        }
        tallies = rows.count + unstored.count
        try await compareTimeline(on: connection)
    }

    /// Compares in SQL, because a timeline may have as many rows as there are submissions.
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

    /// A query for the correct timeline: the number of submissions by minute, or by day if the form is anonymous.
    private var timeline: Statement {
        """
        SELECT date_trunc(CASE WHEN fs.anonymous THEN 'day' ELSE 'minute' END,
            coalesce(s.submitted_at, s.submitted_on::timestamp AT TIME ZONE 'UTC'), 'UTC') AS at, count(*) AS count
        FROM submission s JOIN form_state fs ON fs.form_id = s.form_id
        WHERE s.form_id = \(formID) AND NOT s.withdrawn
        GROUP BY 1
        """
    }

    private mutating func differ(_ row: Row, stored: Int, counted: Int) {
        wrong.append((row, counted))
        differ(.tally, row.key.question, bucket: row.key.bucket, stored: stored, counted: counted)
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
    /// Whether a number differs and all submissions could be counted.
    var isRepairable: Bool { !differences.isEmpty && !differences.contains { $0.what == .version } }

    /// Replaces the stored numbers with the counted ones. The caller must have locked the form.
    func write(on connection: Connection) async throws {
        try await connection.execute(
            """
            INSERT INTO tally (form_id, question, bucket, question_set, count)
            SELECT \(formID), d.question, d.bucket, d.question_set, d.count
            FROM unnest(\(wrong.map(\.row.key.question)), \(wrong.map(\.row.key.bucket)),
                \(wrong.map { Int32($0.row.questionSet) }), \(wrong.map { Int64($0.count) }))
                AS d (question, bucket, question_set, count)
            ORDER BY d.question, d.bucket, d.question_set
            ON CONFLICT (form_id, question, bucket, question_set) DO UPDATE SET count = excluded.count
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
