import Domain
import Foundation
import Postgres
import StrictJSON

extension Forms {
    /// Publishes a draft, which becomes scheduled or open. Does nothing if the form is already published. Throws 422
    /// for an empty form and for one that would already be closed, and 409 for one that is final or finalising.
    public func publish(
        meetingID: UUID, by accountID: UUID, if precondition: @escaping Precondition = { _ in }
    ) async throws -> Form {
        try await perform(on: meetingID, "form.publish", by: accountID) { form, connection in
            try precondition(form)
            if form.life.stored == .finalising || form.life.stored == .final { throw Problem(.formFinal) }
            guard form.version == 0 else { return false }
            try form.checkPublishable()
            try await Self.checkLabels(of: form.definition, in: form, on: connection)
            try await Self.publish(form, on: connection)
            return true
        }
    }

    /// Publishes the first version of a draft. Call it under the form's locks.
    static func publish(_ form: Form, on connection: Connection) async throws {
        try await connection.execute(
            "UPDATE form SET revision = revision + 1, updated_at = now() WHERE id = \(form.id)")
        try await addVersion(form, on: connection)
        try await writeSettings(form, closesAt: form.definedClose, on: connection)
        try await connection.execute(
            "UPDATE form_state SET state = 'open', revision = revision + 1 WHERE form_id = \(form.id)")
    }

    /// Closes a form immediately, without the grace period of a scheduled close. Does nothing if the form is already
    /// closed.
    public func close(
        meetingID: UUID, by accountID: UUID, if precondition: @escaping Precondition = { _ in }
    ) async throws -> Form {
        try await perform(on: meetingID, "form.close", by: accountID) { form, connection in
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

    /// Reopens a closed form until `closes`, or until a host closes it if `closes` is nil. The meeting's times no
    /// longer affect the close.
    ///
    /// If the definition's `closes` is relative to the meeting, it is retained for the next round. If it is an instant,
    /// it applies only to this form, and is replaced.
    public func reopen(
        meetingID: UUID, closes: Date?, by accountID: UUID, if precondition: @escaping Precondition = { _ in }
    ) async throws -> Form {
        try await perform(on: meetingID, "form.reopen", by: accountID) { form, connection in
            try precondition(form)
            switch form.state {
            case .draft: throw Problem(.formNotOpen, "Publish the form first.")
            case .final: throw Problem(.formFinal)
            case .scheduled, .open: return false
            case .closed where form.life.stored == .finalising: throw Problem(.formFinal)
            case .closed: break
            }
            if let closes, closes <= form.now {
                throw Problem(invalid: "/closes", code: "in-the-past", "The form would be closed already.")
            }
            try form.checkOrder(closesAt: closes)
            var edited = form
            if form.definition.closes?.isOffset != true { edited.definition.closes = closes.map(Moment.instant) }
            // A close releases the remaining counts. This is done before the form reopens, because later releases build
            // on them.
            try await FormStatus.releaseRest(of: form.id, on: connection)
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

    /// Stores the definition as the next version, and each question's newest wording.
    ///
    /// - Parameter published: The definition of the previous version; nil for the first version.
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
            FROM (SELECT sha256(convert_to(\(form.definition.questionSet.text), 'UTF8'))) AS a (asks)
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

    /// Copies to `form_state` the settings that `ingest` needs. A relative opening time is resolved with the meeting's
    /// times.
    ///
    /// - Parameter closesAt: When the form closes. After a reopening, this may differ from the definition.
    static func writeSettings(_ form: Form, closesAt: Date?, on connection: Connection) async throws {
        let definition = form.definition
        if definition.minimumGroup > 1 { try await beginWithholding(form.id, on: connection) }
        try await connection.execute(
            """
            UPDATE form_state SET once_only = \(definition.identity != .open), anonymous = \(definition.anonymous),
                minimum_group = \(definition.minimumGroup), show_results = \(definition.showResults.rawValue),
                cap = \(definition.cap), grace_minutes = \(definition.graceMinutes), opens_at = \(form.definedOpening),
                closes_at = \(closesAt), revision = revision + 1
            WHERE form_id = \(form.id)
            """)
    }

    /// Marks all current counts as released if the form had no minimum group so far. Readers have already seen them. If
    /// the released counts started at zero, the same submissions would be released again in steps.
    private static func beginWithholding(_ formID: UUID, on connection: Connection) async throws {
        try await connection.execute(
            """
            UPDATE tally AS t SET pending = t.count, shown = t.count FROM form_state fs
            WHERE t.form_id = \(formID) AND fs.form_id = \(formID) AND fs.minimum_group <= 1
            """)
    }

    /// Throws 422 with the faults if a published form must not be edited in this way.
    static func checkChange(from form: Form, to definition: FormDefinition, on connection: Connection) async throws {
        let hasAnswers = try await connection.query(
            "SELECT EXISTS (SELECT FROM submission WHERE form_id = \(form.id))"
        ).single().decode(Bool.self)
        var edited = form
        edited.definition = definition
        try edited.checkQuestions()
        let faults = definition.faults(
            replacing: form.definition, retired: try await questions(of: form.id, on: connection),
            labels: try await labels(of: form.id, on: connection), hasAnswers: hasAnswers)
        guard faults.isEmpty else { throw Problem(faults) }
    }

    /// Returns all labels that each option has had in any version.
    private static func labels(of formID: UUID, on connection: Connection) async throws -> OptionLabels {
        try await options(of: formID, on: connection).reduce(into: OptionLabels()) { labels, option in
            labels.add(option.label, of: option.id, in: option.question)
        }
    }

    /// Returns the options of all versions before the given one, with an element for each label that an option had.
    static func options(
        of formID: UUID, before version: Int = .max, on connection: Connection
    ) async throws -> [(question: String, id: String, label: String)] {
        try await connection.query(
            """
            SELECT DISTINCT q->>'key', o->>'id', o->>'label'
            FROM form_version v, jsonb_array_elements(v.definition->'questions') q,
                jsonb_array_elements(q->'options') o
            WHERE v.form_id = \(formID) AND v.version < \(version)
            """
        ).map { try $0.decode(String.self, String.self, String.self) }
    }

    /// Throws 422 if an option of a draft has a label that belonged to another option in the latest published round of
    /// the series. Answers of several rounds are counted together by option id, like those of several versions.
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

    /// Returns the questions of all versions: those of the newest version in its order, then the retired questions.
    static func questions(of formID: UUID, on connection: Connection) async throws -> [Question] {
        let rows = try await connection.query(
            """
            SELECT definition FROM question WHERE form_id = \(formID) ORDER BY last_version DESC, position, key
            """)
        return try rows.map { try Question(stored: $0.decode(String.self)) }
    }
}

extension Form {
    /// Throws 422 unless a draft has questions and consistent times, and would not already be closed when published.
    func checkPublishable() throws {
        try checkQuestions()
        try checkMoments()
        let published = FormLife(
            stored: .open, opensAt: definedOpening, closesAt: definedClose, graceMinutes: definition.graceMinutes)
        guard published.state(at: now) == .closed else { return }
        throw Problem(invalid: "/closes", code: "in-the-past", "The form would be closed already.")
    }

    func checkQuestions() throws {
        guard definition.questions.isEmpty else { return }
        throw Problem(invalid: "/questions", code: "required", "A published form asks at least one question.")
    }

    /// The opening time in the definition, resolved with the meeting's times.
    var definedOpening: Date? { definition.opens?.resolved(start: meetingStartsAt, end: meetingEndsAt) }

    /// The closing time in the definition, resolved with the meeting's times.
    var definedClose: Date? { definition.closes?.resolved(start: meetingStartsAt, end: meetingEndsAt) }

    /// Throws 422 if a time is relative to an undated meeting, or the form does not close after it opens.
    func checkMoments() throws {
        var faults: [Fault] = []
        for (name, moment, instant) in [
            ("opens", definition.opens, definedOpening), ("closes", definition.closes, definedClose),
        ]
        where moment != nil && instant == nil {
            faults.append(
                Fault(.invalid, at: "/\(name)", code: "undated-meeting", "The meeting has no time."))
        }
        guard faults.isEmpty else { throw Problem(faults) }
        try checkOrder(closesAt: definedClose)
    }

    func checkOrder(closesAt: Date?) throws {
        guard let opens = definedOpening, let closesAt, closesAt <= opens else { return }
        throw Problem(invalid: "/closes", code: "closes-before-opens", "The form must close after it opens.")
    }
}

extension Question {
    init(stored text: String) throws {
        self = try Question(stored: StoredJSON.parse(text))
    }
}
