import Domain
import Foundation
import Postgres
import StrictJSON

/// A submission as its author sees it.
public struct Submission: Sendable {
    public var id: UUID
    public var version: Int
    public var answers: JSONValue
    public var submittedAt: Date
    public var updatedAt: Date?
}

extension Submissions {
    /// Returns the submission. Throws 404 for a wrong receipt, 410 if it was withdrawn, and 409 once an anonymous form
    /// is final.
    public func find(_ id: UUID, code: String, receipt: String) async throws -> Submission {
        let facts = try await requireReceipt(receipt, of: id, code: code)
        let rows = try await pool.query(Self.select(facts.id, id))
        // Finalising may have replaced the row since the facts were read.
        if rows.isEmpty, try await isFinal(facts.id) { throw Problem(.formFinal) }
        return try Self.read(rows)
    }

    private func isFinal(_ formID: UUID) async throws -> Bool {
        try await pool.query("SELECT state IN ('finalising', 'final') FROM form_state WHERE form_id = \(formID)")
            .requireFirst().decode(Bool.self)
    }

    /// Replaces the answers while the form is open. The tallies are updated in the same transaction.
    ///
    /// - Parameter version: The version to which the new answers belong; nil for the newest.
    public func correct(
        _ id: UUID, code: String, receipt: String, version: Int?, answers: JSONValue?
    ) async throws -> Submission {
        let facts = try await requireReceipt(receipt, of: id, code: code)
        let number = version ?? facts.version
        let form = try await self.version(number, facts)
        let corrected = try form.answers(from: answers)
        return try await change(id, facts) { old, now, connection in
            let outdated = try await connection.query(
                """
                SELECT 1 FROM form_version WHERE form_id = \(facts.id) AND version = \(number) AND outdated
                """)
            guard outdated.isEmpty else { throw Problem.outdatedVersion }
            let oldForm = try await self.version(old.version, facts, on: connection)
            let before = oldForm.tally(Answers.read(stored: old.answers, in: oldForm))
            let at = facts.anonymous ? now.startOfUTCDay : now
            if facts.anonymous { try await Self.recordStep(of: id, facts.id, to: number, on: connection) }
            try await connection.execute(
                """
                UPDATE submission SET version = \(number), answers = \(JSONB(corrected.json.text)), updated_at = \(at),
                    attempt = NULL, marks = \(fragment: Self.marksOfUnchangedTexts(corrected.json))
                WHERE form_id = \(facts.id) AND id = \(id)
                """)
            try await Self.merge(
                remove: (old.version, before), add: (number, form.tally(corrected)), facts.id, on: connection)
            try await Self.updateState(facts.id, at, submissions: 0, on: connection)
            return try await Self.read(connection.query(Self.select(facts.id, id)))
        }
    }

    /// The marks of those texts that a correction leaves as they were. Hosts have marked the words of the others.
    private static func marksOfUnchangedTexts(_ answers: JSONValue) -> Statement {
        """
        (SELECT jsonb_object_agg(m.key, m.value) FROM jsonb_each(marks) m
            WHERE answers->m.key = \(JSONB(answers.text))::jsonb->m.key)
        """
    }

    /// Replaces the submission with a tombstone, so that the same idempotency key or respondent can't submit again.
    /// Repeating the call changes nothing.
    public func withdraw(_ id: UUID, code: String, receipt: String) async throws {
        let facts = try await requireReceipt(receipt, of: id, code: code)
        do {
            try await change(id, facts) { old, now, connection in
                try await self.replaceWithTombstone(
                    old, of: facts.id, anonymous: facts.anonymous, at: now, on: connection)
            }
        } catch let problem as Problem where problem.code == .withdrawn {
            return
        }
    }

    /// Replaces the submission with a tombstone, and updates tallies, timeline and counters. The caller must hold the
    /// form's lock.
    func replaceWithTombstone(
        _ old: Submission, of formID: UUID, anonymous: Bool, at now: Date, on connection: Connection
    ) async throws {
        guard let form = try await cache.version(old.version, of: formID, on: connection) else {
            throw Problem(.internalError, "A submission's version is missing.")
        }
        if anonymous { try await Self.recordStep(of: old.id, formID, to: nil, on: connection) }
        try await connection.execute(
            """
            UPDATE submission SET withdrawn = true, answers = NULL, key_mac = NULL, body_mac = NULL,
                attendee_id = NULL, hidden = NULL, marks = NULL, attempt = NULL
            WHERE form_id = \(formID) AND id = \(old.id)
            """)
        let before = form.tally(Answers.read(stored: old.answers, in: form))
        try await Self.merge(remove: (old.version, before), add: nil, formID, on: connection)
        let unit = anonymous ? "day" : "minute"
        try await connection.execute(
            """
            UPDATE timeline SET count = count - 1
            WHERE form_id = \(formID) AND at = date_trunc(\(unit), \(old.submittedAt), 'UTC')
            """)
        try await Self.updateState(formID, anonymous ? now.startOfUTCDay : now, submissions: -1, on: connection)
    }

    /// Returns the form's facts if the receipt belongs to the submission. Throws 404 if it does not. The submission's
    /// id is computed from the receipt, without reading the submission's row.
    private func requireReceipt(_ receipt: String, of id: UUID, code: String) async throws -> FormFacts {
        let facts = try await cache.facts(code: code)
        guard let keys = facts.keys else { throw Problem(.formFinal) }
        guard keys.submission(receipt: receipt) == id else { throw Problem.nothingBehindKnownCode }
        return facts
    }

    /// Changes a stored submission under the form's lock. Throws unless the form is open. The clock is read after the
    /// form is locked.
    ///
    /// - Parameter body: Gets the current submission and the time.
    @discardableResult
    private func change<Value: Sendable>(
        _ id: UUID, _ facts: FormFacts,
        _ body: @escaping @Sendable (Submission, Date, Connection) async throws -> Value
    ) async throws -> Value {
        let permit = try await permitChange(of: facts)
        defer { withExtendedLifetime(permit) {} }
        return try await pool.transaction(inTurn: false) { connection in
            try await connection.query("SELECT 1 FROM form_state WHERE form_id = \(facts.id) FOR UPDATE")
            // The clock is read only once. A second reading could be after the form's close although the first was
            // before it.
            let now = try await connection.query("SELECT clock_timestamp()").single().decode(Date.self)
            let rows = try await connection.query(
                """
                SELECT form_state_at(state, opens_at, closes_at, grace_minutes, \(now)), trashed
                FROM form_state WHERE form_id = \(facts.id)
                """)
            let (state, trashed) = try rows.requireFirst().decode(String.self, Bool.self)
            guard !trashed else { throw Problem(.notFound) }
            let refusal = Self.refusal(in: state)
            let found = try await connection.query(Self.select(facts.id, id))
            // Finalising may have replaced the row while this request waited for the lock.
            if found.isEmpty, let refusal { throw refusal }
            // A withdrawn submission is reported in every state, so that a withdrawal can be repeated.
            let old = try Self.read(found)
            if let refusal { throw refusal }
            return try await body(old, now, connection)
        }
    }

    /// Returns the problem for a change in this state; nil if the form is open.
    private static func refusal(in state: String) -> Problem? {
        switch state {
        case "open": nil
        case "finalising", "final": Problem(.formFinal)
        // A host has moved the opening to a later time, after answers had arrived.
        case "scheduled": Problem(.formNotOpen)
        default: Problem(.formClosed)
        }
    }

    static func select(_ formID: UUID, _ id: UUID) -> Statement {
        """
        SELECT id, version, answers, coalesce(submitted_at, submitted_on::timestamp AT TIME ZONE 'UTC'), updated_at,
            withdrawn
        FROM submission WHERE form_id = \(formID) AND id = \(id)
        """
    }

    /// Reads the submission that `select` found. Throws 404 if there is none, and 410 if it was withdrawn.
    static func read(_ rows: Rows) throws -> Submission {
        let (id, version, answers, at, updated, withdrawn) = try rows.requireFirst().decode(
            UUID.self, Int.self, String?.self, Date.self, Date?.self, Bool.self)
        guard !withdrawn, let answers else { throw Problem(.withdrawn) }
        return Submission(
            id: id, version: version, answers: try StoredJSON.parse(answers), submittedAt: at, updatedAt: updated)
    }

    /// Records the step in which the current answers arrived. Call this method before they change.
    private static func recordStep(
        of id: UUID, _ formID: UUID, to version: Int?, on connection: Connection
    ) async throws {
        try await connection.query("SELECT record_step(\(formID), \(id), \(version)::integer)")
    }

    /// Updates the tallies for a correction or withdrawal: subtracts the counts of the old answers under their version,
    /// and adds those of the new ones.
    private static func merge(
        remove: (version: Int, keys: [TallyKey]), add: (version: Int, keys: [TallyKey])?, _ formID: UUID,
        on connection: Connection
    ) async throws {
        let submission = TallyKey(question: "", bucket: TallyKey.submissions)
        var deltas = (remove.keys + [submission]).map { (remove.version, $0, -1 as Int64) }
        if let add { deltas += (add.keys + [submission]).map { (add.version, $0, 1) } }
        for version in Set([remove.version, add?.version ?? remove.version]) {
            deltas.append((version, TallyKey(question: "", bucket: TallyKey.changes), 1))
        }
        try await connection.query(
            """
            SELECT merge_tallies(\(formID), \(deltas.map { Int32($0.0) }), \(deltas.map(\.1.question)),
                \(deltas.map(\.1.bucket)), \(deltas.map(\.2)))
            """)
    }

    /// Updates the form's number of submissions, its revision and the time of its last change, and notifies other
    /// instances.
    private static func updateState(
        _ formID: UUID, _ at: Date, submissions: Int, on connection: Connection
    ) async throws {
        try await connection.execute(
            """
            UPDATE form_state SET submissions = submissions + \(submissions), revision = revision + 1,
                updated_at = \(at)
            WHERE form_id = \(formID)
            """)
        try await connection.query(IngestStatement.notification(formID))
    }
}

extension Date {
    var startOfUTCDay: Date {
        Date(timeIntervalSince1970: (timeIntervalSince1970 / 86_400).rounded(.down) * 86_400)
    }
}
