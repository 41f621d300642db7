import Domain
import Foundation
import Postgres
import StrictJSON

/// Forms as their hosts edit and publish them.
///
/// Every action locks the form's row first and then its state, where ingest waits, so that no submission overtakes an
/// action's decision.
public struct Forms: Sendable {
    /// Checks the form before a change, under its lock: for `If-Match`.
    public typealias Precondition = @Sendable (Form) throws -> Void

    let pool: Pool
    let cache: FormCache

    public func require(meetingID: UUID) async throws -> Form {
        try Form.read(await pool.query(Form.select + "\nWHERE f.meeting_id = \(meetingID)").found())
    }

    /// Replaces the definition; on a published form, this publishes a new version immediately.
    ///
    /// Throws 422 with pointers for changes that are not allowed once there are answers. While `closes` is unchanged,
    /// the time at which a published form closes is too: a reopening may have set another. A `closes` in the past
    /// closes the form.
    public func save(
        _ definition: FormDefinition, meetingID: UUID, by accountID: UUID, if precondition: @escaping Precondition
    ) async throws -> Form {
        try await save(meetingID: meetingID, by: accountID) { form, _ in
            try precondition(form)
            return definition
        }
    }

    /// Replaces the definition with one that is created under the form's lock; nil changes nothing.
    func save(
        meetingID: UUID, by accountID: UUID,
        _ define: @escaping @Sendable (Form, Connection) async throws -> FormDefinition?
    ) async throws -> Form {
        try await perform(on: meetingID, "form.edit", by: accountID) { form, connection in
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
                try await Self.schedule(of: [meetingID], on: connection)
            }
            try await Self.preserveReleased(of: form, on: connection)
            try await Self.writeSettings(edited, closesAt: closesAt, on: connection)
            return true
        }
    }

    /// Preserves what a close by the clock has released, in case new settings open the form again.
    static func preserveReleased(of form: Form, on connection: Connection) async throws {
        guard form.life.stored == .open, form.state == .closed else { return }
        try await FormStatus.releaseRest(of: form.id, on: connection)
    }

    /// Runs an action in a transaction under both locks, then removes the form from the cache; `change` returns whether
    /// it changed anything.
    func perform(
        on meetingID: UUID, _ name: String, by accountID: UUID,
        _ change: @escaping @Sendable (Form, Connection) async throws -> Bool
    ) async throws -> Form {
        let form = try await pool.transaction { connection in
            let locked = try await connection.query("SELECT id FROM form WHERE meeting_id = \(meetingID) FOR UPDATE")
            let id = try locked.found().decode(UUID.self)
            let current = try Form.read(await connection.query(Form.select + "\nWHERE f.id = \(id)").single())
            if current.life.isFinished {
                // A finished form does not change any more, and its state may be locked for long.
                _ = try await change(current, connection)
                return current
            }
            guard let status = try await FormStatus.lock(id, on: connection) else { throw Problem(.notFound) }
            // The clock is read after the lock, as ingest does.
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
