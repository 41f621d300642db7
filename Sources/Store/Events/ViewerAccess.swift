import Domain
import Foundation
import Postgres

/// Reads the access of many viewers of event streams, and the data they are shown, in one query.
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

    /// The accounts whose current meetings are read.
    public enum Audience: Hashable, Sendable {
        /// Of the account's own and shared series.
        case account(UUID)
        case everything
    }

    /// The largest number of current meetings reported.
    public static let mostCurrent = 200

    /// A meeting with the settings that decide what participants may see.
    public struct Watched: Sendable {
        public var meeting: Meeting
        let showResults: String

        /// Whether participants need the receipt of a submission to see the results.
        public var needsReceipt: Bool {
            (try? ParticipantResults.needSubmission(showResults, meeting.form.state(at: meeting.now))) == true
        }

        /// Throws the problem that a participant would get now.
        public func check(_ participant: Participant) throws(Problem) {
            let state = meeting.form.state(at: meeting.now)
            guard !participant.hasJoinCode || state == .open else { throw Problem(.notFound) }
            guard try ParticipantResults.needSubmission(showResults, state) else { return }
            guard participant.submissionID != nil else { throw ParticipantResults.receiptNeeded }
            guard !meeting.form.knowsNobody else { throw Problem(.formFinal) }
        }
    }

    /// The submission that a participant has proven to be theirs.
    public struct Receipt: Hashable, Sendable {
        var formID: UUID
        public var submissionID: UUID

        public init(formID: UUID, submissionID: UUID) {
            self.formID = formID
            self.submissionID = submissionID
        }
    }

    /// The reason why a person without an account may view a form's results.
    public struct Participant: Hashable, Sendable {
        var hasJoinCode: Bool
        /// The submission of their receipt, if one was required.
        public var submissionID: UUID?
    }

    let pool: Pool

    /// Reads the meetings that are not in the trash, by id.
    public func meetings(_ ids: [UUID]) async throws -> [UUID: Watched] {
        let rows = try await pool.query(
            Meeting.select(", fs.show_results") + "\nWHERE m.id = ANY (\(ids)) AND m.deleted_at IS NULL")
        return try rows.reduce(into: [:]) { all, row in
            let meeting = try Meeting.read(row)
            all[meeting.id] = Watched(
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

    /// Returns the shares' tokens that are still valid.
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

    /// Returns the current principals of the tokens, by the token's id; tokens that are no longer valid are missing.
    public func principals(ofTokens ids: [UUID]) async throws -> [UUID: Principal] {
        let rows = try await pool.query(Principal.select + " AND t.id = ANY (\(ids))")
        return try rows.map(Principal.read).reduce(into: [:]) { $0[$1.tokenID] = $1 }
    }

    /// Returns the viewers that are owners or co-hosts; admins need no check.
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

    /// Reads the current meetings: running, starting within the hour, or with an open form that was opened, published,
    /// edited or answered today or yesterday (in UTC). Newest start first, undated ones last.
    public func current(for audience: Audience) async throws -> [Meeting] {
        try await pool.query(Self.list(for: audience)).map(Meeting.read)
    }

    static func list(for audience: Audience) -> Statement {
        let isListed: Statement
        switch audience {
        case .account(let id):
            // The planner knows an array before it reads the meetings, so that only the account's own are read.
            isListed = "m.series_id = ANY (\(fragment: Access.seen(by: id)))"
        case .everything: isListed = "true"
        }
        // For an anonymous form, `updated_at` contains only the day.
        return Meeting.select()
            + """

            WHERE m.deleted_at IS NULL AND \(fragment: isListed)
                AND ((m.ends_at > now() AND m.starts_at <= now() + interval '1 hour')
                    OR (fs.state = 'open' AND greatest(fs.updated_at, f.updated_at, fs.opens_at)
                            >= date_trunc('day', now(), 'UTC') - interval '1 day'
                        AND form_life(fs.state, fs.opens_at, fs.closes_at, fs.grace_minutes, now()) = 'open'))
            ORDER BY coalesce(m.starts_at, '-infinity') DESC, m.id DESC LIMIT \(Self.mostCurrent)
            """
    }
}

extension ParticipantResults {
    /// The same as ``require(code:receipt:)``, and the facts to check again while the participant watches.
    public func admit(code: String, receipt: String?) async throws -> (Meeting, ViewerAccess.Participant) {
        let (meeting, proven) = try await requireAccess(code: code, receipt: receipt)
        var submissionID = proven
        // A receipt that is not required now may be required later.
        if submissionID == nil, let receipt {
            submissionID = try await cache.facts(code: meeting.form.code).keys?.submission(receipt: receipt)
        }
        return (
            meeting, ViewerAccess.Participant(hasJoinCode: try FormName(code).isJoinCode, submissionID: submissionID)
        )
    }
}
