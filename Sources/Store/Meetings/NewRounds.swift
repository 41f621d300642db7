import Cryptography
import Domain
import Foundation
import Postgres
import StrictJSON

/// Creates the rounds of one request, which are identical except for their times. Each table gets one statement,
/// whatever the number of rounds.
struct NewRounds: Sendable {
    var draft: MeetingDraft
    var form: FormDefinition
    var seriesID: UUID
    var hostID: UUID
    /// The number of the first round.
    var round: Int
    let ids: [UUID]

    init(_ draft: MeetingDraft, asking form: FormDefinition, seriesID: UUID, hostID: UUID, round: Int = 1) {
        self.draft = draft
        self.form = form
        self.seriesID = seriesID
        self.hostID = hostID
        self.round = round
        ids = (0..<draft.rounds).map { _ in UUIDv7.make() }
    }

    /// The maximum total size of the forms of one request, in bytes.
    private static let maxBytes = 4 << 20

    /// Inserts the meetings with their forms in state `draft`.
    func insert(keyID: Int, by accountID: UUID, on connection: Connection) async throws {
        guard form.json.text.utf8.count * ids.count <= Self.maxBytes || ids.count == 1 else {
            throw Problem([
                Fault(
                    .invalid, at: "/repeat", code: "too-large",
                    "The forms of all repetitions together are too large; repeat fewer times.")
            ])
        }
        if draft.startsAt != nil { try await Overlaps.lockTimes(of: hostID, on: connection) }
        let inserted = try await connection.execute(
            """
            INSERT INTO meeting (id, series_id, host_id, round, title, starts_at, ends_at, time_zone, place, headcount,
                late_after_minutes, allow_overlap, check_in_code)
            SELECT u.id, \(seriesID), \(hostID), \(round)::int + t.place, \(draft.title), t.starts_at, t.ends_at,
                \(draft.timeZone), \(draft.place), \(draft.headcount)::int, \(draft.lateAfterMinutes)::int,
                \(draft.allowOverlap), u.code
            FROM (\(fragment: draft.roundTimes)) t
            JOIN unnest(\(ids), \(ids.map { _ in FormCode.make(13) })) WITH ORDINALITY AS u (id, code, ordinal)
                ON u.ordinal = t.place + 1
            """)
        guard inserted == ids.count else {
            throw Problem([
                Fault(.invalid, at: "/repeat", code: "too-far", "The last round must begin within a hundred years.")
            ])
        }
        try await Form.insert(form, meetingIDs: ids, keyID: keyID, on: connection)
        if form.autoPublish { try await Forms.schedulePublication(ofDraftsIn: ids, on: connection) }
        try await connection.execute(
            """
            INSERT INTO audit (id, account_id, act, subject_id)
            SELECT u.id, \(accountID), 'meeting.create', u.meeting_id
            FROM unnest(\(ids.map { _ in UUIDv7.make() }), \(ids)) AS u (id, meeting_id)
            """)
    }

    /// Adds the members of the series as expected to the attendee lists of these rounds.
    func expectMembers(on connection: Connection) async throws {
        let rows = try await connection.query("SELECT id FROM member WHERE series_id = \(seriesID) ORDER BY id")
        let members = try rows.map { row throws -> UUID in try row.decode(UUID.self) }
        guard !members.isEmpty else { return }
        try await Roster.expect(
            members, in: ids,
            orFault: Fault(
                .invalid, at: "/repeat", code: "too-many",
                "\(members.count) members would be expected in each round; repeat fewer times."),
            on: connection)
    }

    /// Gives these rounds the image of another meeting with its description, by reference to the stored image. The reference of the other
    /// meeting is locked, so that the image is not deleted in the meantime.
    func copyImage(of meetingID: UUID, on connection: Connection) async throws {
        let locked = try await connection.query(
            "SELECT digest, alt FROM meeting_image WHERE meeting_id = \(meetingID) FOR SHARE")
        guard let (digest, alt) = try locked.first?.decode([UInt8].self, String.self) else { return }
        try await connection.execute(
            """
            INSERT INTO meeting_image (meeting_id, digest, alt)
            SELECT u.id, \(digest), \(alt) FROM unnest(\(ids)) AS u (id)
            """)
    }

    /// Records the webhook events of all rounds, and returns the first round. Must be the transaction's last write.
    func recordEvents(on connection: Connection) async throws -> Meeting {
        try await Events.record(.meetingCreated, of: ids, on: connection)
        return try await Meetings.read(ids[0], on: connection)
    }
}
