import Domain
import Foundation
import Postgres
import StrictJSON

/// Forms as their hosts edit and publish them.
///
/// Every action locks the form's row first and then its state. `ingest` waits for the lock on the state, so no
/// submission is accepted during an action.
public struct Forms: Sendable {
    /// Checks the form while it is locked, before it changes. Used for `If-Match`.
    public typealias Precondition = @Sendable (Form) throws -> Void

    let pool: Pool
    let cache: FormCache

    public func require(meetingID: UUID) async throws -> Form {
        let row = try await cache.ids.row(of: .meeting(meetingID)) { id in
            try await pool.query(Form.select + "\nWHERE fs.form_id = \(id) AND f.meeting_id = \(meetingID)")
        }
        return try Form.read(row)
    }

    /// Replaces the definition. For a published form, this publishes a new version immediately.
    ///
    /// Throws 422 with pointers for changes that are not allowed after the first answer. If `closes` is unchanged, a
    /// published form keeps its closing time, which a reopening may have set independently. A `closes` in the past
    /// closes the form.
    public func save(
        _ definition: FormDefinition, meetingID: UUID, by accountID: UUID, if precondition: @escaping Precondition
    ) async throws -> Form {
        try await save(meetingID: meetingID, by: accountID) { form, _ in
            try precondition(form)
            return definition
        }
    }

    /// Replaces the definition with the result of `define`, which is called under the form's lock. If the result is
    /// nil, nothing changes.
    ///
    /// - Parameter authorize: Called first in the transaction, to lock the series and check the access to it.
    func save(
        meetingID: UUID, by accountID: UUID, authorize: (@Sendable (Connection) async throws -> Void)? = nil,
        _ define: @escaping @Sendable (Form, Connection) async throws -> FormDefinition?
    ) async throws -> Form {
        try await perform(on: meetingID, "form.edit", by: accountID, authorize: authorize) { form, connection in
            guard let definition = try await define(form, connection) else { return false }
            guard !form.life.isFinished else { throw Problem(.formFinal) }
            var edited = form
            edited.definition = definition
            if form.version > 0 {
                try await Self.checkChange(from: form, to: definition, on: connection)
            } else {
                try await Self.checkLabels(of: definition, in: form, on: connection)
            }
            try edited.checkMoments()
            let keepsClose = form.version > 0 && definition.closes == form.definition.closes
            let closesAt = keepsClose ? form.life.closesAt : edited.definedClose
            if form.state == .scheduled || form.state == .open { try edited.checkOrder(closesAt: closesAt) }
            try await connection.execute(
                """
                UPDATE form SET definition = \(JSONB(definition.json.text)), revision = revision + 1,
                    updated_at = now() WHERE id = \(form.id)
                """)
            if form.version > 0 {
                try await Self.addVersion(edited, after: form.definition, on: connection)
            } else if definition.autoPublish || form.definition.autoPublish {
                try await Self.schedulePublication(ofDraftsIn: [meetingID], on: connection)
            }
            try await Self.releaseRestIfClosedByClock(of: form, on: connection)
            try await Self.writeSettings(edited, closesAt: closesAt, on: connection)
            return true
        }
    }

    /// Releases the remaining counts of a form that closed at its closing time. New settings may open it again, so call
    /// this method before they are written.
    static func releaseRestIfClosedByClock(of form: Form, on connection: Connection) async throws {
        guard form.life.stored == .open, form.state == .closed else { return }
        try await FormStatus.releaseRest(of: form.id, on: connection)
    }

    /// Runs an action in a transaction under both locks, and then removes the form from the cache.
    ///
    /// - Parameters:
    ///   - name: The action's name in the audit trail.
    ///   - authorize: Called first in the transaction, because series are locked before forms.
    ///   - change: Performs the action and returns whether anything was changed.
    func perform(
        on meetingID: UUID, _ name: String, by accountID: UUID,
        authorize: (@Sendable (Connection) async throws -> Void)? = nil,
        _ change: @escaping @Sendable (Form, Connection) async throws -> Bool
    ) async throws -> Form {
        let form = try await pool.transaction { connection in
            try await authorize?(connection)
            let locked = try await connection.query("SELECT id FROM form WHERE meeting_id = \(meetingID) FOR UPDATE")
            let id = try locked.requireFirst().decode(UUID.self)
            let current = try Form.read(await connection.query(Form.select + "\nWHERE f.id = \(id)").single())
            if current.life.isFinished {
                // A form that is final or being made final can't change, and its state may be locked for a long time.
                _ = try await change(current, connection)
                return current
            }
            guard let status = try await FormStatus.lock(id, on: connection) else { throw Problem(.notFound) }
            // Read again, because the state depends on the time, which `ingest` also reads only after the lock.
            let before = try Form.read(await connection.query(Form.select + "\nWHERE f.id = \(id)").single())
            if try await change(before, connection) {
                try await Audit.record(name, of: id, by: accountID, on: connection)
                try await status.settle(on: connection)
            }
            return try Form.read(await connection.query(Form.select + "\nWHERE f.id = \(id)").single())
        }
        cache.forget(form.code)
        return form
    }
}

/// A form as shown to people who have its code: the newest published version, or only the title of a draft.
public struct PublicForm: Sendable {
    public var code: String
    public var title: String
    public var version: Int
    public var state: FormState
    public var opensAt: Date?
    public var closesAt: Date?
    public var retention: Form.Retention
    /// Nil before the first publication.
    public var definition: FormDefinition?
    /// The picture above the questions. Nil before the first publication.
    public var picture: FormPicture?
    /// What was decided at the last round, as far as participants see it. Empty before the first publication.
    public var decided: [Decision]
}

/// The code with which a participant identifies a form: its code, or its join code as typed.
public struct ParticipantCode: Sendable {
    /// The code as it is stored. All spellings of a join code have the same text, so what is read or kept for a code has
    /// to be looked up by this text.
    public let text: String
    let isJoinCode: Bool

    /// Throws 404 for a text that can be neither a code nor a join code.
    public init(_ typed: String) throws(Problem) {
        text = typed.utf8.count == 8 ? FormCode.typed(typed) : typed
        isJoinCode = FormCode.isPlausibleJoinCode(text)
        guard isJoinCode || FormCode.isPlausible(text) else { throw Problem(.notFound) }
    }

    /// A condition: whether `form f` has this code.
    var condition: Statement { isJoinCode ? "f.join_code = \(text)" : "f.code = \(text)" }

    /// Throws 404 for a join code while the form is not open.
    func check(_ state: FormState) throws(Problem) {
        guard !isJoinCode || state == .open else { throw Problem.nothingBehindKnownCode }
    }
}

extension Forms {
    /// Returns the form with this code, or with this join code while it is open. Throws 404 for any other code, and if
    /// the meeting is in the trash.
    public func find(code: String) async throws -> PublicForm {
        let typed = try ParticipantCode(code)
        let row = try await cache.ids.row(of: .init(typed)) { id in
            try await pool.query(
                """
                SELECT f.code, m.title, f.version, v.definition, fs.state, fs.opens_at, fs.closes_at, fs.grace_minutes,
                    clock_timestamp(), \(fragment: Form.Retention.columns), \(fragment: FormPicture.columns),
                    \(fragment: Decisions.previous)
                FROM form f JOIN form_state fs ON fs.form_id = f.id JOIN meeting m ON m.id = f.meeting_id
                    JOIN series s ON s.id = m.series_id
                    LEFT JOIN form_version v ON v.form_id = f.id AND v.version = f.version
                    LEFT JOIN meeting_image r ON r.meeting_id = m.id LEFT JOIN image i ON i.digest = r.digest
                WHERE fs.form_id = \(id) AND \(fragment: typed.condition) AND NOT fs.trashed
                """)
        }
        var columns = Columns(row)
        let (formCode, meetingTitle): (String, String) = (try columns.next(), try columns.next())
        let version: Int = try columns.next()
        let stored: String? = try columns.next()
        let definition = try stored.map { try FormDefinition(json: StoredJSON.parse($0)) }
        let life = try FormLife.read(&columns)
        let state = life.state(at: try columns.next())
        try typed.check(state)
        let title = definition.map(\.title).flatMap { $0.isEmpty ? nil : $0 } ?? meetingTitle
        return PublicForm(
            code: formCode, title: title, version: version, state: state, opensAt: life.opensAt,
            closesAt: life.closesAt, retention: try .read(&columns), definition: definition,
            picture: try FormPicture.read(&columns, isPublished: definition != nil),
            decided: try Decisions.shown(columns.next(), isPublished: definition != nil))
    }
}
