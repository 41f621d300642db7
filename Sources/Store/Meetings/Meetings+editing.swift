import Domain
import Foundation
import Postgres
import StrictJSON

extension Meetings {
    /// Returns the new fields of a meeting. Called while the meeting is locked, so that it can check the revision for
    /// `If-Match`. After an overlap, called again without the lock, to find the conflicts.
    public typealias Edit = @Sendable (Meeting) throws -> MeetingDraft

    /// Edits a meeting. If its times change, the opening and closing times of its form that are relative to them change
    /// in the same transaction.
    public func edit(_ id: UUID, by principal: Principal, _ edit: @escaping Edit) async throws -> Meeting {
        let before = try await require(id, by: principal, atLeast: .editor)
        try await zones.load()
        let edited = try await Overlaps(pool: pool).reportingConflicts(
            try edit(try await require(id, by: principal)).roundTimes, of: before.hostID, except: [id], for: principal
        ) {
            try await pool.transaction { connection in
                let (meeting, _) = try await Self.lock(id, by: principal, on: connection)
                let draft = try edit(meeting)
                guard draft != meeting.draft else { return meeting }
                try await zones.require(draft.timeZone)
                try await Self.write(draft, to: meeting, on: connection)
                if draft.startsAt != meeting.startsAt || draft.endsAt != meeting.endsAt {
                    try await Forms.moveTimes(of: meeting.form.id, from: meeting, on: connection)
                }
                try await Audit.record("meeting.edit", of: id, by: principal.account.id, on: connection)
                // The results contain the head count, so they may have changed.
                try await connection.query(IngestStatement.notification(meeting.form.id))
                return try await Self.read(id, on: connection)
            }
        }
        cache.forget(edited.form.code)
        return edited
    }

    /// Locks the series and then the meeting, checks that the caller is an editor, and returns both.
    static func lock(
        _ id: UUID, by principal: Principal, inTrash: Bool = false, on connection: Connection
    ) async throws -> (meeting: Meeting, series: Access.LockedSeries) {
        let found = try await connection.query("SELECT series_id FROM meeting WHERE id = \(id)").requireFirst()
        // If the meeting is in the trash, its series may be there too.
        let series = try await Access.lock(
            found.decode(UUID.self), by: principal, atLeast: .editor, inTrash: inTrash ? nil : false, on: connection)
        let locked = try await connection.query(
            """
            SELECT 1 FROM meeting WHERE id = \(id) AND (deleted_at IS NOT NULL) = \(inTrash) FOR NO KEY UPDATE
            """)
        _ = try locked.requireFirst()
        return (try await read(id, on: connection), series)
    }

    static func read(_ id: UUID, on connection: Connection) async throws -> Meeting {
        try Meeting.read(await connection.query(Meeting.select() + "\nWHERE m.id = \(id)").single())
    }

    private static func write(_ draft: MeetingDraft, to meeting: Meeting, on connection: Connection) async throws {
        try await Overlaps.lockTimes(of: meeting.hostID, on: connection)
        try await connection.execute(
            """
            UPDATE meeting SET title = \(draft.title), starts_at = \(draft.startsAt), ends_at = \(draft.endsAt),
                time_zone = \(draft.timeZone), place = \(draft.place), headcount = \(draft.headcount),
                late_after_minutes = \(draft.lateAfterMinutes), allow_overlap = \(draft.allowOverlap),
                revision = revision + 1
            WHERE id = \(meeting.id)
            """)
    }
}

extension Meeting {
    /// The fields that the host can edit.
    public var draft: MeetingDraft {
        MeetingDraft(
            title: title, startsAt: startsAt, endsAt: endsAt, timeZone: timeZone, place: place, headcount: headcount,
            lateAfterMinutes: lateAfterMinutes, allowOverlap: allowOverlap)
    }
}

extension Forms {
    /// Updates the times of a form that are relative to its meeting, after the times of the meeting have changed.
    /// Throws 422 if the form would have invalid times.
    ///
    /// - Parameter before: The meeting with its old times.
    static func moveTimes(of id: UUID, from before: Meeting, on connection: Connection) async throws {
        try await connection.query("SELECT 1 FROM form WHERE id = \(id) FOR UPDATE")
        guard let status = try await FormStatus.lock(id, on: connection) else { return }
        let form = try Form.read(await connection.query(Form.select + "\nWHERE f.id = \(id)").single())
        if form.version == 0, form.definition.autoPublish {
            try await schedulePublication(ofDraftsIn: [form.meetingID], on: connection)
        }
        guard form.version > 0, form.definition.opens?.isOffset == true || form.definition.closes?.isOffset == true
        else { return }
        let closesAt = form.close(movedFrom: before)
        do {
            try form.checkMoments()
            if form.state == .scheduled || form.state == .open { try form.checkOrder(closesAt: closesAt) }
        } catch let problem as Problem {
            // The request contained only the meeting's times, so the faults point to them.
            throw Problem(
                problem.faults.map { fault in
                    Fault(
                        .invalid, at: "/startsAt", code: fault.code,
                        "The form's \(fault.pointer.dropFirst()): \(fault.detail)")
                })
        }
        try await connection.execute(
            "UPDATE form SET revision = revision + 1, updated_at = now() WHERE id = \(id)")
        try await writeSettings(form, closesAt: closesAt, on: connection)
        try await status.settle(on: connection)
    }
}

extension Form {
    /// Returns the form's closing time after its meeting was moved. It stays the same if it has passed, so that a later
    /// correction of the meeting does not open the form again. It also stays the same if it was set when the form was
    /// reopened, because it is then independent of the meeting.
    fileprivate func close(movedFrom before: Meeting) -> Date? {
        let isClosedByClock = life.stored == .open && state == .closed
        guard !isClosedByClock, let closesAt = life.closesAt,
            let previousClose = definition.closes?.resolved(start: before.startsAt, end: before.endsAt),
            abs(closesAt.timeIntervalSince(previousClose)) < 0.001
        else { return life.closesAt }
        return definedClose
    }
}

extension Meetings {
    /// Checks a meeting before a change, while it is locked, for `If-Match`.
    public typealias Precondition = @Sendable (Meeting) throws -> Void

    /// Moves the meeting to the trash. There, it does not conflict with other meetings, and its form accepts no
    /// answers.
    public func trash(
        _ id: UUID, by principal: Principal, if precondition: @escaping Precondition = { _ in }
    ) async throws {
        try await require(id, by: principal, atLeast: .editor)
        let code = try await pool.transaction { connection in
            let (meeting, _) = try await Self.lock(id, by: principal, on: connection)
            try precondition(meeting)
            let purgeTime = try await SeriesLifecycle.purgeTime(on: connection)
            try await connection.execute(
                """
                UPDATE meeting SET deleted_at = now(), purges_at = \(fragment: purgeTime), revision = revision + 1
                WHERE id = \(id)
                """)
            try await Audit.record("meeting.trash", of: id, by: principal.account.id, on: connection)
            try await SeriesLifecycle.setTrashed(true, [meeting.form.id], on: connection)
            return meeting.form.code
        }
        cache.forget(code)
    }

    /// Restores the meeting. Throws 404 unless it is in the trash and not yet due for permanent deletion. Throws 409
    /// with the conflicting meetings if its time is taken.
    ///
    /// If the series is in the trash too, it is restored with the meeting, which only its owner may do. The other
    /// rounds stay in the trash and can be restored one by one.
    public func restore(
        _ id: UUID, by principal: Principal, if precondition: @escaping Precondition = { _ in }
    ) async throws -> Meeting {
        let trashed = try await require(id, by: principal, atLeast: .editor, inTrash: true)
        let restored = try await Overlaps(pool: pool).reportingConflicts(
            trashed.draft.roundTimes, of: trashed.hostID, except: [id], for: principal
        ) {
            try await pool.transaction { connection in
                let (meeting, series) = try await Self.lock(id, by: principal, inTrash: true, on: connection)
                if series.isInTrash { try Access.check(series.role, atLeast: .owner) }
                try precondition(meeting)
                if series.isInTrash {
                    try await SeriesLifecycle.restoreAlone(
                        meeting.seriesID, by: principal.account.id, on: connection)
                }
                try await Overlaps.lockTimes(of: meeting.hostID, on: connection)
                let restored = try await connection.execute(
                    """
                    UPDATE meeting SET deleted_at = NULL, purges_at = NULL, revision = revision + 1
                    WHERE id = \(id) AND purges_at > now()
                    """)
                guard restored == 1 else { throw Problem(.notFound) }
                try await Audit.record("meeting.restore", of: id, by: principal.account.id, on: connection)
                try await SeriesLifecycle.setTrashed(false, [meeting.form.id], on: connection)
                return try await Self.read(id, on: connection)
            }
        }
        cache.forget(restored.form.code)
        return restored
    }
}
