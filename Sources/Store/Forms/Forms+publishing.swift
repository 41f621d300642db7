import Domain
import Foundation
import Postgres
import StrictJSON

extension Forms {
    /// Draft to scheduled or open; on a published form it changes nothing. An empty form is 422, and one that would be
    /// closed already; one that is final, or on its way, 409.
    public func publish(
        meetingID: UUID, by accountID: UUID, if precondition: @escaping Precondition = { _ in }
    ) async throws -> Form {
        try await act(on: meetingID, "form.publish", by: accountID) { form, connection in
            try precondition(form)
            if form.life.stored == .finalising || form.life.stored == .final { throw Problem(.formFinal) }
            guard form.version == 0 else { return false }
            try form.checkPublishable()
            try await Self.checkLabels(of: form.definition, in: form, on: connection)
            try await Self.publish(form, on: connection)
            return true
        }
    }

    /// The first version of a draft, under its locks.
    static func publish(_ form: Form, on connection: Connection) async throws {
        try await connection.execute(
            "UPDATE form SET revision = revision + 1, updated_at = now() WHERE id = \(form.id)")
        try await addVersion(form, on: connection)
        try await writeSettings(form, closesAt: form.definedClose, on: connection)
        try await connection.execute(
            "UPDATE form_state SET state = 'open', revision = revision + 1 WHERE form_id = \(form.id)")
    }

    /// Takes no answer from the moment this returns, without the grace of a timed close; closed already, it changes
    /// nothing.
    public func close(
        meetingID: UUID, by accountID: UUID, if precondition: @escaping Precondition = { _ in }
    ) async throws -> Form {
        try await act(on: meetingID, "form.close", by: accountID) { form, connection in
            try precondition(form)
            switch form.life.stored {
            case .draft: throw Problem(.formNotOpen, "A form that was never published cannot be closed.")
            case .closed, .finalising, .final: return false
            case .open: break
            }
            try await connection.execute(
                "UPDATE form SET revision = revision + 1, updated_at = now() WHERE id = \(form.id)")
            try await connection.execute(
                """
                UPDATE form_state SET state = 'closed', closed_at = \(form.now), revision = revision + 1
                WHERE form_id = \(form.id)
                """)
            return true
        }
    }

    /// Takes answers again, until `closes` if given, else until it is closed by hand; whatever becomes of the meeting's
    /// times.
    ///
    /// A close that the definition counts from the meeting stays in it: the next round counts by it. An instant there
    /// was this form's own, and is replaced.
    public func reopen(
        meetingID: UUID, closes: Date?, by accountID: UUID, if precondition: @escaping Precondition = { _ in }
    ) async throws -> Form {
        try await act(on: meetingID, "form.reopen", by: accountID) { form, connection in
            try precondition(form)
            switch form.state {
            case .draft: throw Problem(.formNotOpen, "Publish the form first.")
            case .final: throw Problem(.formFinal)
            case .scheduled, .open: return false
            case .closed where form.life.stored == .finalising: throw Problem(.formFinal)
            case .closed: break
            }
            if let closes, closes <= form.now {
                throw Problem([
                    Fault(.invalid, at: "/closes", code: "in-the-past", "The form would be closed already.")
                ])
            }
            try form.checkOrder(closesAt: closes)
            var edited = form
            if form.definition.closes?.isOffset != true { edited.definition.closes = closes.map(Moment.instant) }
            // What the close let out stays out: what is shown moves on from there.
            try await FormStatus.showRest(of: form.id, on: connection)
            try await connection.execute(
                """
                UPDATE form SET definition = \(JSONB(edited.definition.json.text)), revision = revision + 1,
                    updated_at = now()
                WHERE id = \(form.id)
                """)
            try await connection.execute(
                """
                UPDATE form_state SET state = 'open', closed_at = NULL, closes_at = \(closes), revision = revision + 1
                WHERE form_id = \(form.id)
                """)
            return true
        }
    }

    /// Keeps the definition as the next version, and each question's newest wording.
    ///
    /// - Parameter published: the definition of the version before, if there is one.
    static func addVersion(
        _ form: Form, after published: FormDefinition? = nil, on connection: Connection
    ) async throws {
        let version = form.version + 1
        try await connection.execute(
            """
            INSERT INTO form_version (form_id, version, definition, asks, question_set)
            SELECT \(form.id), \(version), \(JSONB(form.definition.json.text)), a.asks,
                coalesce((SELECT min(v.question_set) FROM form_version v
                    WHERE v.form_id = \(form.id) AND v.asks = a.asks), \(version))
            FROM (SELECT sha256(convert_to(\(form.definition.asked.text), 'UTF8'))) AS a (asks)
            """)
        let older = try await questions(of: form.id, on: connection)
        if form.definition.outdates(published, asking: older) {
            try await connection.execute(
                "UPDATE form_version SET outdated = true WHERE form_id = \(form.id) AND version < \(version)")
        }
        for (position, question) in form.definition.questions.enumerated() {
            let merged = older.first { $0.key == question.key }.map { question.merged(with: $0) } ?? question
            try await connection.execute(
                """
                INSERT INTO question AS q (form_id, key, position, definition, first_version, last_version)
                VALUES (\(form.id), \(question.key), \(position), \(JSONB(merged.json.text)), \(version), \(version))
                ON CONFLICT (form_id, key) DO UPDATE SET position = excluded.position,
                    definition = excluded.definition, last_version = excluded.last_version
                """)
        }
        try await connection.execute("UPDATE form SET version = \(version) WHERE id = \(form.id)")
    }

    /// Brings the settings that ingest needs into the form's state; a relative opening becomes the meeting's instant.
    ///
    /// - Parameter closesAt: when it closes, which after a reopening need not be what the definition says.
    static func writeSettings(_ form: Form, closesAt: Date?, on connection: Connection) async throws {
        let definition = form.definition
        if definition.minimumGroup > 1 { try await beginHolding(form.id, on: connection) }
        try await connection.execute(
            """
            UPDATE form_state SET once_only = \(definition.identity != .open), anonymous = \(definition.anonymous),
                minimum_group = \(definition.minimumGroup), show_results = \(definition.showResults.rawValue),
                cap = \(definition.cap), grace_minutes = \(definition.graceMinutes), opens_at = \(form.definedOpening),
                closes_at = \(closesAt), revision = revision + 1
            WHERE form_id = \(form.id)
            """)
    }

    /// Where all was shown until now, what is shown begins with all there is: it cannot be taken back, and counted
    /// from nothing it would come out again in smaller steps.
    private static func beginHolding(_ formID: UUID, on connection: Connection) async throws {
        try await connection.execute(
            """
            UPDATE tally AS t SET pending = t.count, shown = t.count FROM form_state fs
            WHERE t.form_id = \(formID) AND fs.form_id = \(formID) AND fs.minimum_group <= 1
            """)
    }

    /// 422 with what an edit of a published form may not do.
    static func checkChange(from form: Form, to definition: FormDefinition, on connection: Connection) async throws {
        let answered = try await connection.query(
            "SELECT EXISTS (SELECT FROM submission WHERE form_id = \(form.id))"
        ).single().decode(Bool.self)
        var edited = form
        edited.definition = definition
        try edited.checkQuestions()
        let faults = definition.faults(
            replacing: form.definition, retired: try await questions(of: form.id, on: connection),
            labels: try await labels(of: form.id, on: connection), hasAnswers: answered)
        guard faults.isEmpty else { throw Problem(faults) }
    }

    /// What every option was ever called.
    private static func labels(of formID: UUID, on connection: Connection) async throws -> OptionLabels {
        let rows = try await connection.query(
            """
            SELECT DISTINCT q->>'key', o->>'id', o->>'label'
            FROM form_version v, jsonb_array_elements(v.definition->'questions') q,
                jsonb_array_elements(q->'options') o
            WHERE v.form_id = \(formID)
            """)
        var labels = OptionLabels()
        for row in rows {
            let (question, option, label) = try row.decode(String.self, String.self, String.self)
            labels.add(label, of: option, in: question)
        }
        return labels
    }

    /// 422 where a draft calls an option as the latest published round of its series called another one: rounds are
    /// counted together by the ids of options, as the versions of one form are.
    static func checkLabels(
        of definition: FormDefinition, in form: Form, on connection: Connection
    ) async throws {
        let rows = try await connection.query(
            """
            SELECT f.id FROM meeting own
            JOIN meeting m ON m.series_id = own.series_id AND m.id <> own.id AND m.deleted_at IS NULL
            JOIN form f ON f.meeting_id = m.id AND f.version > 0
            WHERE own.id = \(form.meetingID) ORDER BY m.round DESC LIMIT 1
            """)
        guard let latest = try rows.first?.decode(UUID.self) else { return }
        let faults = definition.faults(
            replacing: FormDefinition(), retired: try await questions(of: latest, on: connection),
            labels: try await labels(of: latest, on: connection), hasAnswers: false
        ).filter { $0.code == "label-of-another-option" }
        guard faults.isEmpty else { throw Problem(faults) }
    }

    /// Every question any version asked: those of the newest in its order, then the retired ones.
    static func questions(of formID: UUID, on connection: Connection) async throws -> [Question] {
        let rows = try await connection.query(
            """
            SELECT definition FROM question WHERE form_id = \(formID) ORDER BY last_version DESC, position, key
            """)
        return try rows.map { try Question(stored: $0.decode(String.self)) }
    }
}

extension Form {
    /// A draft that asks something, in an order of moments that can come true, and not one that would be over already.
    func checkPublishable() throws {
        try checkQuestions()
        try checkMoments()
        let published = FormLife(
            stored: .open, opensAt: definedOpening, closesAt: definedClose, graceMinutes: definition.graceMinutes)
        guard published.state(at: now) == .closed else { return }
        throw Problem([Fault(.invalid, at: "/closes", code: "in-the-past", "The form would be closed already.")])
    }

    func checkQuestions() throws {
        guard definition.questions.isEmpty else { return }
        throw Problem([
            Fault(.invalid, at: "/questions", code: "required", "A published form asks at least one question.")
        ])
    }

    /// When the definition has it open, by the meeting's times.
    var definedOpening: Date? { definition.opens?.resolved(start: meetingStartsAt, end: meetingEndsAt) }

    var definedClose: Date? { definition.closes?.resolved(start: meetingStartsAt, end: meetingEndsAt) }

    /// An offset needs the meeting's time, and a form closes after it opens.
    func checkMoments() throws {
        var faults: [Fault] = []
        for (name, moment, instant) in [
            ("opens", definition.opens, definedOpening), ("closes", definition.closes, definedClose),
        ]
        where moment != nil && instant == nil {
            faults.append(
                Fault(.invalid, at: "/\(name)", code: "undated-meeting", "The meeting has no time to count from."))
        }
        guard faults.isEmpty else { throw Problem(faults) }
        try checkOrder(closesAt: definedClose)
    }

    func checkOrder(closesAt: Date?) throws {
        guard let opens = definedOpening, let closesAt, closesAt <= opens else { return }
        throw Problem([
            Fault(.invalid, at: "/closes", code: "closes-before-opens", "The form must close after it opens.")
        ])
    }
}

extension Question {
    init(stored text: String) throws {
        self = try Question(stored: StoredJSON.parse(text))
    }
}
