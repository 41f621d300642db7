import Domain
import Foundation
import Postgres
import StrictJSON

/// The recounts of several forms.
struct Recounts {
    private(set) var all: [Recount]
    private let formIDs: [UUID]
    private let places: [UUID: Int]
    /// The form of the last row. Rows of one form usually follow each other.
    private var last: (formID: UUID, place: Int)?

    init(_ forms: [(formID: UUID, meetingID: UUID)]) {
        all = forms.map { Recount(formID: $0.formID, meetingID: $0.meetingID) }
        formIDs = forms.map(\.formID)
        places = Dictionary(uniqueKeysWithValues: forms.enumerated().map { ($1.formID, $0) })
    }

    /// Calls `body` with the recount of a form. Rows of other forms are ignored.
    private mutating func update(_ formID: UUID, _ body: (inout Recount) throws -> Void) rethrows {
        if last?.formID != formID { last = places[formID].map { (formID, $0) } }
        if let last { try body(&all[last.place]) }
    }

    mutating func count(on connection: Connection, _ progress: @Sendable (Int) -> Void) async throws {
        let published = try await connection.query(
            "SELECT form_id, version, definition, question_set FROM form_version WHERE form_id = ANY (\(formIDs))")
        // The rounds of a series often have the same definition, which is then prepared only once.
        var prepared: [String: PreparedForm] = [:]
        for row in published {
            let (formID, version, text, questionSet) = try row.decode(UUID.self, Int.self, String.self, Int.self)
            let form = try prepared[text] ?? PreparedForm(FormDefinition(json: StoredJSON.parse(text)))
            prepared[text] = form
            update(formID) { $0.addVersion(version, form, questionSet: questionSet) }
        }
        let stream = connection.rows(
            "SELECT form_id, version, answers FROM submission WHERE form_id = ANY (\(formIDs)) AND NOT withdrawn")
        let parts = (0..<Self.parts).map { _ in Part(counts: self) }
        try await Self.count(stream, in: parts, progress)
        for part in parts {
            let counted = await part.counts.all
            for place in all.indices { all[place].add(counted[place]) }
        }
        for place in all.indices { all[place].finishCounting() }
    }

    /// Counting takes several times as long as reading, so the rows are divided into parts that are counted
    /// concurrently.
    private static let parts = 2

    private actor Part {
        private(set) var counts: Recounts

        init(counts: Recounts) { self.counts = counts }

        func add(_ rows: [Row]) throws {
            for row in rows {
                let (formID, version, stored) = try row.decode(UUID.self, Int.self, String.self)
                try counts.update(formID) { $0.add(try StoredJSON.parse(stored), version: version) }
            }
        }
    }

    /// Gives each chunk of rows to a part that has counted its previous one.
    private static func count(
        _ stream: RowStream, in parts: [Part], _ progress: @Sendable (Int) -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Part.self) { group in
            var idle = parts
            var submissions = 0
            for try await rows in stream {
                // Each part is idle or in the group.
                let part = if let free = idle.popLast() { free } else { try await group.next()! }
                group.addTask {
                    try await part.add(rows)
                    return part
                }
                submissions += rows.count
                progress(submissions)
            }
            try await group.waitForAll()
        }
    }

    mutating func compare(on connection: Connection) async throws {
        let states = try await connection.query(
            """
            SELECT f.id, coalesce(s.submissions, 0), s.answers_expired_at IS NOT NULL, s.answers_deleted_at IS NOT NULL
            FROM unnest(\(formIDs)) AS f (id) LEFT JOIN form_state s ON s.form_id = f.id
            """)
        for row in states {
            let (formID, stored, areExpired, areDeleted) = try row.decode(UUID.self, Int.self, Bool.self, Bool.self)
            let rows: Recount.Rows = areDeleted ? .none : areExpired ? .some : .all
            update(formID) { $0.compare(storedSubmissions: stored, rows: rows) }
        }
        let tallies = try await connection.query(
            """
            SELECT form_id, question, bucket, question_set, count FROM tally
            WHERE form_id = ANY (\(formIDs)) AND (question <> '' OR bucket <> \(TallyKey.changes))
            ORDER BY form_id, question, bucket, question_set
            """)
        for row in tallies {
            let (formID, question, bucket, questionSet, count) = try row.decode(
                UUID.self, String.self, String.self, Int.self, Int.self)
            update(formID) {
                $0.compare(TallyKey(question: question, bucket: bucket), questionSet: questionSet, stored: count)
            }
        }
        for place in all.indices { all[place].compareUnstored() }
        let counted = all.filter { !$0.isExpired }.map(\.formID)
        // Compared in SQL, because a timeline may have as many rows as there are submissions.
        let timelines = try await connection.query(
            """
            SELECT form_id, at::text, coalesce(t.count, 0), coalesce(c.count, 0)
            FROM (SELECT form_id, at, count FROM timeline WHERE form_id = ANY (\(counted))) t
            FULL JOIN (\(fragment: Recount.timelines(of: counted))) c USING (form_id, at)
            WHERE coalesce(t.count, 0) <> coalesce(c.count, 0)
            ORDER BY form_id, coalesce(t.at, c.at)
            """)
        for row in timelines {
            let (formID, at, stored, counted) = try row.decode(UUID.self, String.self, Int.self, Int.self)
            update(formID) { $0.addTimelineDifference(at: at, stored: stored, counted: counted) }
        }
    }
}
