import Domain
import Foundation
import Postgres
import StrictJSON

extension Meetings {
    /// Looks at the meeting under its lock, for `If-Match`, and says what becomes of it.
    public typealias Edit = @Sendable (Meeting) throws -> MeetingDraft

    /// Changes what a host says of a meeting; where its times move, the opening and closing that its published form
    /// counts from them move too, in the same transaction.
    public func edit(_ id: UUID, by principal: Principal, _ edit: @escaping Edit) async throws -> Meeting {
        let before = try await require(id, by: principal, atLeast: .editor)
        try await zones.load()
        let edited = try await Overlaps(pool: pool).explained(
            RoundTimes(try edit(try await require(id, by: principal))).rows, of: before.hostID, except: [id],
            for: principal
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
                // The head count stands in the results.
                try await connection.query(IngestStatement.notification(meeting.form.id))
                return try await Self.read(id, on: connection)
            }
        }
        cache.forget(edited.form.code)
        return edited
    }

    /// Locks the series and then the meeting, for an editor, and reads it.
    static func lock(
        _ id: UUID, by principal: Principal, inTrash: Bool = false, on connection: Connection
    ) async throws -> (meeting: Meeting, series: LockedSeries) {
        let found = try await connection.query("SELECT series_id FROM meeting WHERE id = \(id)").found()
        // What is in the trash may be there with its series.
        let series = try await Access.lock(
            found.decode(UUID.self), by: principal, atLeast: .editor, inTrash: inTrash ? nil : false, on: connection)
        let locked = try await connection.query(
            """
            SELECT 1 FROM meeting WHERE id = \(id) AND (deleted_at IS NOT NULL) = \(inTrash) FOR NO KEY UPDATE
            """)
        _ = try locked.found()
        return (try await read(id, on: connection), series)
    }

    static func read(_ id: UUID, on connection: Connection) async throws -> Meeting {
        try Meeting.read(await connection.query(Meeting.select() + "\nWHERE m.id = \(id)").single())
    }

    private static func write(_ draft: MeetingDraft, to meeting: Meeting, on connection: Connection) async throws {
        try await Overlaps.takeTurn(of: meeting.hostID, on: connection)
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
    /// What its host said of it.
    public var draft: MeetingDraft {
        MeetingDraft(
            title: title, startsAt: startsAt, endsAt: endsAt, timeZone: timeZone, place: place, headcount: headcount,
            lateAfterMinutes: lateAfterMinutes, allowOverlap: allowOverlap)
    }
}

extension Forms {
    /// After the meeting's times moved: a published form that counts from them opens and closes by the new ones. Throws
    /// a 422 where it could not.
    ///
    /// - Parameter before: the meeting with its old times.
    static func moveTimes(of id: UUID, from before: Meeting, on connection: Connection) async throws {
        try await connection.query("SELECT 1 FROM form WHERE id = \(id) FOR UPDATE")
        guard let standing = try await FormStatus.lock(id, on: connection) else { return }
        let form = try Form.read(await connection.query(Form.select + "\nWHERE f.id = \(id)").single())
        if form.version == 0, form.definition.autoPublish {
            try await schedule(of: [form.meetingID], on: connection)
        }
        guard form.version > 0, form.definition.isTimedByMeeting else { return }
        let closesAt = form.close(movedFrom: before)
        do {
            try form.checkMoments()
            if form.state == .scheduled || form.state == .open { try form.checkOrder(closesAt: closesAt) }
        } catch let problem as Problem {
            // The faults are those of the form; what was sent is the meeting's time.
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
        try await standing.settle(on: connection)
    }
}

extension Form {
    /// When it closes now that its meeting was moved. What the clock has closed stays closed, or a meeting put right
    /// later would take answers again; and a moment that a reopening set was none of the meeting's.
    fileprivate func close(movedFrom before: Meeting) -> Date? {
        let isClosedByClock = life.stored == .open && state == .closed
        guard !isClosedByClock, let closesAt = life.closesAt,
            let counted = definition.closes?.resolved(start: before.startsAt, end: before.endsAt),
            abs(closesAt.timeIntervalSince(counted)) < 0.001
        else { return life.closesAt }
        return definedClose
    }
}

extension FormDefinition {
    fileprivate var isTimedByMeeting: Bool { opens?.isOffset == true || closes?.isOffset == true }
}
