import Domain
import Foundation
import Postgres

/// Finds out who may keep watching an event stream, and reads the meetings that are watched. Each method handles many
/// viewers in one query.
public struct ViewerAccess: Sendable {
    /// An account that views a meeting.
    public struct Viewer: Hashable, Sendable {
        public var meetingID: UUID
        public var accountID: UUID

        public init(meetingID: UUID, accountID: UUID) {
            self.meetingID = meetingID
            self.accountID = accountID
        }
    }

    /// Determines which current meetings are read.
    public enum Audience: Hashable, Sendable {
        /// The meetings of the account's own series and of those shared with it.
        case account(UUID)
        case everything
    }

    /// The maximum number of current meetings that are read.
    public static let maxCurrentMeetings = 200

    /// A meeting with the settings that decide what participants may see.
    public struct WatchedMeeting: Sendable {
        public var meeting: Meeting
        let showResults: String

        /// Whether participants need the receipt of a submission to see the results.
        public var needsReceipt: Bool {
            (try? ParticipantResultAccess.requiresReceipt(showResults, meeting.form.state(at: meeting.now))) == true
        }

        /// Throws if the form's state and settings no longer let this participant see the results. Does not check whether
        /// the submission was withdrawn, as `ViewerAccess.valid` does, or whether the answers were deleted.
        public func check(_ participant: Participant) throws(Problem) {
            let state = meeting.form.state(at: meeting.now)
            guard !participant.hasJoinCode || state == .open else { throw Problem(.notFound) }
            guard try ParticipantResultAccess.requiresReceipt(showResults, state) else { return }
            guard participant.submissionID != nil else { throw ParticipantResultAccess.receiptRequired }
            guard !meeting.form.isUnlinked else { throw Problem(.formFinal) }
        }
    }

    /// A submission whose receipt a participant has shown.
    public struct Receipt: Hashable, Sendable {
        var formID: UUID
        public var submissionID: UUID

        public init(formID: UUID, submissionID: UUID) {
            self.formID = formID
            self.submissionID = submissionID
        }
    }

    /// A person without an account who views a form's results, with the facts on which the access depends.
    public struct Participant: Hashable, Sendable {
        var hasJoinCode: Bool
        /// The submission to which the participant's receipt belongs, if there is one.
        public var submissionID: UUID?
    }

    let pool: Pool

    /// Reads the meetings with these ids, without those in the trash.
    public func meetings(_ ids: [UUID]) async throws -> [UUID: WatchedMeeting] {
        let rows = try await pool.query(
            Meeting.select(", fs.show_results") + "\nWHERE m.id = ANY (\(ids)) AND m.deleted_at IS NULL")
        return try rows.reduce(into: [:]) { meetings, row in
            let meeting = try Meeting.read(row)
            meetings[meeting.id] = WatchedMeeting(
                meeting: meeting, showResults: try row.decode(String.self, at: Meeting.columnCount))
        }
    }

    /// Returns the receipts whose submissions were not withdrawn.
    public func valid(_ receipts: [Receipt]) async throws -> Set<Receipt> {
        let rows = try await pool.query(
            """
            SELECT w.form_id, w.id
            FROM unnest(\(receipts.map(\.formID)), \(receipts.map(\.submissionID))) AS w (form_id, id)
            JOIN submission s ON s.form_id = w.form_id AND s.id = w.id
            WHERE NOT s.withdrawn
            """)
        return try Set(
            rows.map {
                let (formID, submissionID) = try $0.decode(UUID.self, UUID.self)
                return Receipt(formID: formID, submissionID: submissionID)
            })
    }

    /// Returns the tokens whose shares are still valid.
    public func openShares(_ tokens: [String]) async throws -> Set<String> {
        let hashes = tokens.map(Secret.hash)
        let rows = try await pool.query(
            """
            SELECT sh.hash FROM share sh
            JOIN meeting m ON m.id = sh.meeting_id
            JOIN series s ON s.id = m.series_id
            WHERE sh.hash = ANY (\(hashes)) AND \(fragment: Shares.isActive) AND \(fragment: Shares.isBackedByCreator)
            """)
        let open = Set(try rows.map { try $0.decode([UInt8].self) })
        return Set(zip(tokens, hashes).filter { open.contains($0.1) }.map(\.0))
    }

    /// Returns the current principals of the tokens, by token id. Tokens that are no longer valid are left out.
    public func principals(ofTokens ids: [UUID]) async throws -> [UUID: Principal] {
        let rows = try await pool.query(Principal.select + " AND t.id = ANY (\(ids))")
        return try rows.map(Principal.read).reduce(into: [:]) { $0[$1.tokenID] = $1 }
    }

    /// Returns the viewers that own or co-host the series of their meeting. Do not pass admins, who may view
    /// everything.
    public func allowed(_ viewers: [Viewer]) async throws -> Set<Viewer> {
        let rows = try await pool.query(
            """
            SELECT w.meeting_id, w.account_id
            FROM unnest(\(viewers.map(\.meetingID)), \(viewers.map(\.accountID))) AS w (meeting_id, account_id)
            JOIN meeting m ON m.id = w.meeting_id
            JOIN series s ON s.id = m.series_id
            LEFT JOIN series_host sh ON sh.series_id = s.id AND sh.account_id = w.account_id
            WHERE m.deleted_at IS NULL AND (s.owner_id = w.account_id OR sh.account_id IS NOT NULL)
            """)
        return try Set(
            rows.map {
                let (meetingID, accountID) = try $0.decode(UUID.self, UUID.self)
                return Viewer(meetingID: meetingID, accountID: accountID)
            })
    }

    /// Reads the current meetings, the newest start first and undated ones last. A meeting is current if it is running,
    /// starts within the hour, or has an open form that was opened, published, edited or answered today or yesterday
    /// (in UTC).
    public func current(for audience: Audience) async throws -> [Meeting] {
        try await pool.query(Self.list(for: audience)).map(Meeting.read)
    }

    static func list(for audience: Audience) -> Statement {
        let isIncluded: Statement
        switch audience {
        case .account(let id):
            // PostgreSQL computes the array before it reads the meetings, so that it reads only those of the account.
            isIncluded = "m.series_id = ANY (\(fragment: Access.visibleSeriesIDs(of: id)))"
        case .everything: isIncluded = "true"
        }
        // For an anonymous form, `updated_at` contains only the day.
        return Meeting.select()
            + """

            WHERE m.deleted_at IS NULL AND \(fragment: isIncluded)
                AND ((m.ends_at > now() AND m.starts_at <= now() + interval '1 hour')
                    OR (fs.state = 'open' AND greatest(fs.updated_at, f.updated_at, fs.opens_at)
                            >= date_trunc('day', now(), 'UTC') - interval '1 day'
                        AND form_state_at(fs.state, fs.opens_at, fs.closes_at, fs.grace_minutes, now()) = 'open'))
            ORDER BY coalesce(m.starts_at, '-infinity') DESC, m.id DESC LIMIT \(Self.maxCurrentMeetings)
            """
    }
}

extension ParticipantResultAccess {
    /// Does the same as ``require(code:receipt:)``, and also returns what has to be checked again while the participant
    /// watches.
    public func admit(code: String, receipt: String?) async throws -> (Meeting, ViewerAccess.Participant) {
        let (meeting, proven) = try await requireAccess(code: code, receipt: receipt)
        var submissionID = proven
        // A receipt that is not required now may be required later.
        if submissionID == nil, let receipt {
            submissionID = try await cache.facts(code: meeting.form.code).keys?.submission(receipt: receipt)
        }
        let hasJoinCode = try ParticipantCode(code).isJoinCode
        return (meeting, ViewerAccess.Participant(hasJoinCode: hasJoinCode, submissionID: submissionID))
    }
}
