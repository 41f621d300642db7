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
    /// Whether the answers were deleted at the end of their retention, or are being deleted.
    private(set) var isExpired = false
    /// The rows of `tally` that are missing or whose stored count is wrong, with the correct count.
    private var wrong: [(row: Row, count: Int)] = []
    private var versions: [Int: Version] = [:]
    /// The numbers of submissions to versions that were never published.
    private var unknownVersions: [Int: Int] = [:]
    /// For expired answers: the form's number of submissions, and the part of it that no tally accounts for.
    private var (expiredTotal, unaccounted) = (0, 0)
    /// The correct count of each row of `tally` that has not been compared yet.
    private var uncompared: [Row: Int] = [:]

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
        /// The sum of each key, by the index in `tallyKeys`.
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

        mutating func add(_ other: Version) {
            submissions += other.submissions
            for index in sums.indices { sums[index] += other.sums[index] }
            others.merge(other.others, uniquingKeysWith: +)
        }

        /// The counts above zero.
        var counts: [TallyKey: Int] {
            var counts = others
            for (key, sum) in zip(form.tallyKeys, sums) where sum > 0 { counts[key] = sum }
            if submissions > 0 { counts[TallyKey(question: "", bucket: TallyKey.submissions)] = submissions }
            return counts
        }
    }

    /// Counts and compares the numbers of several forms in the transaction of `connection`. A query for each form would
    /// take longer than counting the submissions of a small form.
    ///
    /// - Parameter progress: Called with the number of submissions counted so far.
    static func run(
        _ forms: [(formID: UUID, meetingID: UUID)], on connection: Connection, progress: @Sendable (Int) -> Void
    ) async throws -> [Recount] {
        var recounts = Recounts(forms)
        try await recounts.count(on: connection, progress)
        try await recounts.compare(on: connection)
        return recounts.all
    }

    init(formID: UUID, meetingID: UUID) {
        self.formID = formID
        self.meetingID = meetingID
    }

    mutating func addVersion(_ version: Int, _ form: PreparedForm, questionSet: Int) {
        versions[version] = Version(form, questionSet)
    }

    mutating func add(_ stored: JSONValue, version: Int) {
        submissions += 1
        if versions[version]?.add(stored) == nil { unknownVersions[version, default: 0] += 1 }
    }

    /// Adds the counts of other submissions to the same form.
    mutating func add(_ other: Recount) {
        submissions += other.submissions
        unknownVersions.merge(other.unknownVersions, uniquingKeysWith: +)
        for (number, version) in other.versions { versions[number]?.add(version) }
    }

    /// Sums the counts over all versions, after all submissions have been counted.
    mutating func finishCounting() {
        for version in versions.values {
            for (key, count) in version.counts {
                uncompared[Row(key: key, questionSet: version.questionSet), default: 0] += count
            }
        }
        versions = [:]
        for (version, count) in unknownVersions.sorted(by: { $0.key < $1.key }) {
            addDifference(.version, bucket: "\(version)", stored: count, counted: 0)
        }
    }

    /// Which of a form's submissions are stored.
    enum Rows {
        case all
        /// The answers have expired, and their rows are being deleted.
        case some
        /// The rows were deleted.
        case none
    }

    /// Compares the form's number of submissions. If rows of expired answers were deleted, the numbers can't be counted
    /// again, but they must agree with each other.
    mutating func compare(storedSubmissions stored: Int, rows: Rows) {
        guard rows != .all else {
            if stored != submissions { addDifference(.submissions, stored: stored, counted: submissions) }
            return
        }
        (isExpired, uncompared) = (true, [:])
        (expiredTotal, unaccounted) = (stored, stored)
        if rows == .none, submissions > 0 { addDifference(.expired, stored: submissions, counted: 0) }
    }

    mutating func compare(_ key: TallyKey, questionSet: Int, stored: Int) {
        tallies += 1
        if isExpired {
            if key == TallyKey(question: "", bucket: TallyKey.submissions) { unaccounted -= stored }
            return
        }
        let row = Row(key: key, questionSet: questionSet)
        let counted = uncompared.removeValue(forKey: row) ?? 0
        if stored != counted { addDifference(row, stored: stored, counted: counted) }
    }

    /// Records the rows of `tally` that should exist but are not stored. For expired answers, also compares the number
    /// of submissions with the tallies.
    mutating func compareUnstored() {
        if unaccounted != 0 {
            let stored = expiredTotal
            addDifference(.submissions, stored: stored, counted: stored - unaccounted)
        }
        tallies += uncompared.count
        for (row, counted) in uncompared.sorted(by: {
            ($0.key.key, $0.key.questionSet) < ($1.key.key, $1.key.questionSet)
        }) {
            addDifference(row, stored: 0, counted: counted)
        }
        uncompared = [:]
    }

    mutating func addTimelineDifference(at time: String, stored: Int, counted: Int) {
        addDifference(.timeline, bucket: time, stored: stored, counted: counted)
    }

    /// A query for the correct timelines: the number of submissions by form and minute, or by day if the form is
    /// anonymous.
    static func timelines(of formIDs: [UUID]) -> Statement {
        """
        SELECT s.form_id, date_trunc(CASE WHEN fs.anonymous THEN 'day' ELSE 'minute' END,
            coalesce(s.submitted_at, s.submitted_on::timestamp AT TIME ZONE 'UTC'), 'UTC') AS at, count(*) AS count
        FROM submission s JOIN form_state fs ON fs.form_id = s.form_id
        WHERE s.form_id = ANY (\(formIDs)) AND NOT s.withdrawn
        GROUP BY 1, 2
        """
    }

    private mutating func addDifference(_ row: Row, stored: Int, counted: Int) {
        wrong.append((row, counted))
        addDifference(.tally, row.key.question, bucket: row.key.bucket, stored: stored, counted: counted)
    }

    private mutating func addDifference(
        _ kind: Verification.Difference.Kind, _ question: String? = nil, bucket: String? = nil, stored: Int,
        counted: Int
    ) {
        differences.append(
            Verification.Difference(
                formID: formID, meetingID: meetingID, kind: kind, question: question, bucket: bucket, stored: stored,
                counted: counted))
    }
}

extension Recount {
    /// Whether a number differs and all submissions are stored and could be counted.
    var isRepairable: Bool { !isExpired && !differences.isEmpty && !differences.contains { $0.kind == .version } }

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
        if differences.contains(where: { $0.kind == .timeline }) {
            try await connection.execute("DELETE FROM timeline WHERE form_id = \(formID)")
            try await connection.execute(
                """
                INSERT INTO timeline (form_id, at, count)
                SELECT c.form_id, c.at, c.count FROM (\(fragment: Self.timelines(of: [formID]))) c
                """)
        }
        try await connection.execute(
            """
            UPDATE form_state SET submissions = \(submissions), revision = revision + 1 WHERE form_id = \(formID)
            """)
        try await connection.query(IngestStatement.notification(formID))
    }
}
