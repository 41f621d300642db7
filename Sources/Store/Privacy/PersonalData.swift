import Domain
import Foundation
import Postgres
import StrictJSON

extension Store {
    public var personalData: PersonalData { PersonalData(pool: pool) }
}

/// Reads all data that is stored about an account's owner, in one snapshot.
///
/// Participants' answers to the account's forms belong to the participants and are not included. The owner's own
/// answers to other hosts' forms are included if they are linked to the owner's address.
public struct PersonalData: Sendable {
    /// The maximum number of rows in each list. Of a longer list, only the newest rows are returned.
    static let limit = 10_000
    /// The maximum size of all lists together, in bytes.
    static let maxBytes = 16 << 20
    /// An account reads its data once at a time, and all accounts one after the other.
    private static let permits = KeyedPermits<UUID>(1, total: 1)

    public enum List: String, Sendable, CaseIterable {
        case sessions, tokens, webhooks, series, meetings, memberships, attendances, persons, submissions, invitations
        case templates, shares, invited, mails, actsByOthers, acts
    }

    public struct Document: Sendable {
        /// The account, as JSON of the columns that its owner may see.
        public var account: JSONValue
        /// The rows of each list, as JSON of the columns that the owner may see.
        public var lists: [List: [JSONValue]] = [:]
        /// The lists that have more rows than were returned.
        public var truncated: [List] = []
    }

    let pool: Pool

    /// Throws 503 if the data of other accounts takes long.
    public func read(_ accountID: UUID) async throws -> Document { try await read(accountID, maxBytes: Self.maxBytes) }

    func read(_ accountID: UUID, maxBytes: Int) async throws -> Document {
        let lease = try await Self.permits.acquire(
            for: accountID, within: .seconds(10), else: "Other personal data is being read; try again later.",
            retryAfter: 5)
        defer { withExtendedLifetime(lease) {} }
        return try await pool.transaction(isolation: .repeatableRead) { connection in
            let account = try await connection.query(Self.account(accountID)).requireFirst().decode(String.self)
            var document = Document(account: try StoredJSON.parse(account))
            var rest = maxBytes
            for list in List.allCases {
                let selected = Self.select(list, of: accountID) + " LIMIT \(Self.limit + 1)"
                let rows = try await connection.query(
                    """
                    SELECT b.document, b.count, b.bytes::bigint FROM (
                        SELECT a.document, a.place, count(*) OVER () AS count,
                            sum(octet_length(a.document)) OVER (ORDER BY a.place) AS bytes
                        FROM (SELECT r.document::text, row_number() OVER () AS place
                            FROM (\(fragment: selected)) r (document)) a) b
                    WHERE b.bytes <= \(rest) OR b.place = 1 ORDER BY b.place
                    """)
                let found = try rows.map { try $0.decode(String.self, Int.self, Int.self) }
                // The first row says how many there are, whether it has room or not.
                let kept = found.prefix(Self.limit).prefix { $0.2 <= rest }
                rest -= kept.last?.2 ?? 0
                document.lists[list] = try kept.map { try StoredJSON.parse($0.0) }
                if kept.count < found.first?.1 ?? 0 { document.truncated.append(list) }
            }
            return document
        }
    }

    private static func account(_ id: UUID) -> Statement {
        """
        SELECT json_build_object('id', a.id, 'email', a.email, 'name', a.name, 'role', a.role, 'locale', a.locale,
            'timeZone', a.time_zone, 'mailsAtClose', a.mails_at_close, 'weeklyDigest', a.weekly_digest,
            'createdAt', \(fragment: instant("a.created_at")),
            'passwordChangedAt', \(fragment: instant("c.changed_at")), 'pictureType', p.media_type,
            'picture', translate(encode(p.bytes, 'base64'), E'\\n', ''))
        FROM account a LEFT JOIN credential c ON c.account_id = a.id LEFT JOIN account_picture p ON p.account_id = a.id
        WHERE a.id = \(id)
        """
    }

    private static func select(_ list: List, of id: UUID) -> Statement {
        let address: Statement = "(SELECT email FROM account WHERE id = \(id))"
        return switch list {
        case .sessions: tokens("session", of: id)
        case .tokens: tokens("api", of: id)
        case .webhooks:
            """
            SELECT json_build_object('id', w.id, 'url', w.url, 'events', w.events,
                'createdAt', \(fragment: instant("w.created_at")))
            FROM webhook w WHERE w.account_id = \(id) ORDER BY w.id DESC
            """
        case .series:
            """
            SELECT json_build_object('id', s.id, 'title', s.title, 'role', coalesce(sh.role, 'owner'),
                'createdAt', \(fragment: instant("s.created_at")), 'deletedAt', \(fragment: instant("s.deleted_at")))
            FROM series s LEFT JOIN series_host sh ON sh.series_id = s.id AND sh.account_id = \(id)
            WHERE s.owner_id = \(id) OR sh.account_id IS NOT NULL ORDER BY s.id DESC
            """
        case .meetings:
            """
            SELECT json_build_object('id', m.id, 'seriesId', m.series_id, 'round', m.round, 'title', m.title,
                'startsAt', \(fragment: instant("m.starts_at")), 'endsAt', \(fragment: instant("m.ends_at")),
                'deletedAt', \(fragment: instant("m.deleted_at")))
            FROM meeting m WHERE m.host_id = \(id) ORDER BY m.id DESC
            """
        case .memberships:
            """
            SELECT json_build_object('seriesId', b.series_id, 'series', s.title, 'name', b.name, 'email', b.email,
                'createdAt', \(fragment: instant("b.created_at")))
            FROM member b JOIN series s ON s.id = b.series_id WHERE b.email = \(fragment: address) ORDER BY b.id DESC
            """
        case .attendances:
            """
            SELECT json_build_object('meetingId', t.meeting_id, 'meeting', m.title, 'name', t.name,
                'email', t.email, 'status', t.status, 'checkedInAt', \(fragment: instant("t.checked_in_at")),
                'removedAt', \(fragment: instant("t.removed_at")))
            FROM attendee t JOIN meeting m ON m.id = t.meeting_id WHERE t.email = \(fragment: address)
            ORDER BY t.id DESC
            """
        case .persons:
            """
            SELECT json_build_object('seriesId', p.series_id, 'series', s.title, 'code', p.code)
            FROM person p JOIN series s ON s.id = p.series_id WHERE p.email = \(fragment: address)
            ORDER BY p.series_id DESC
            """
        case .submissions:
            """
            SELECT json_build_object('id', b.id, 'meetingId', t.meeting_id, 'meeting', m.title,
                'submittedAt', \(fragment: instant("b.submitted_at")),
                'updatedAt', \(fragment: instant("b.updated_at")), 'answers', b.answers)
            FROM attendee t JOIN meeting m ON m.id = t.meeting_id JOIN form f ON f.meeting_id = m.id
                JOIN submission b ON b.form_id = f.id AND b.attendee_id = t.id
            WHERE t.email = \(fragment: address) AND NOT b.withdrawn ORDER BY b.submitted_at DESC, b.id
            """
        case .invitations:
            """
            SELECT json_build_object('id', i.id, 'email', i.email, 'note', i.note, 'seriesId', i.series_id,
                'role', i.role, 'createdAt', \(fragment: instant("i.created_at")),
                'spentAt', \(fragment: instant("i.spent_at")))
            FROM invitation i WHERE i.created_by = \(id) ORDER BY i.id DESC
            """
        case .shares:
            """
            SELECT json_build_object('id', h.id, 'meetingId', h.meeting_id, 'name', h.name,
                'createdAt', \(fragment: instant("h.created_at")),
                'expiresAt', \(fragment: instant("h.expires_at")),
                'revokedAt', \(fragment: instant("h.revoked_at")))
            FROM share h WHERE h.created_by = \(id) ORDER BY h.id DESC
            """
        case .templates:
            """
            SELECT json_build_object('id', t.id, 'name', t.name, 'definition', t.definition,
                'createdAt', \(fragment: instant("t.created_at")), 'updatedAt', \(fragment: instant("t.updated_at")))
            FROM saved_template t WHERE t.owner_id = \(id) ORDER BY t.id DESC
            """
        case .invited:
            """
            SELECT json_build_object('id', i.id, 'email', i.email, 'note', i.note, 'seriesId', i.series_id,
                'role', i.role, 'createdAt', \(fragment: instant("i.created_at")),
                'expiresAt', \(fragment: instant("i.expires_at")), 'spentAt', \(fragment: instant("i.spent_at")))
            FROM invitation i WHERE i.email = \(fragment: address) OR i.spent_by = \(id) ORDER BY i.id DESC
            """
        case .mails:
            """
            SELECT json_build_object('id', o.id, 'kind', o.kind, 'recipient', o.recipient,
                'createdAt', \(fragment: instant("o.created_at")), 'sentAt', \(fragment: instant("o.sent_at")),
                'failedAt', \(fragment: instant("o.failed_at")))
            FROM outbox o WHERE o.recipient::citext = \(fragment: address) ORDER BY o.id DESC
            """
        case .actsByOthers:
            """
            SELECT json_build_object('at', \(fragment: instant("u.at")), 'act', u.act, 'detail', u.detail)
            FROM audit u WHERE u.subject_id = \(id) AND u.account_id <> \(id) ORDER BY u.at DESC, u.id DESC
            """
        case .acts:
            """
            SELECT json_build_object('at', \(fragment: instant("u.at")), 'act', u.act, 'subjectId', u.subject_id,
                'detail', u.detail)
            FROM audit u WHERE u.account_id = \(id) ORDER BY u.at DESC, u.id DESC
            """
        }
    }

    private static func tokens(_ kind: String, of id: UUID) -> Statement {
        let confirmation: Statement =
            kind == "session" ? ", 'confirmedAt', \(fragment: instant("t.confirmed_at"))" : ""
        return """
            SELECT json_build_object('id', t.id, 'name', t.name, 'scopes', t.scopes,
                'createdAt', \(fragment: instant("t.created_at")), 'expiresAt', \(fragment: instant("t.expires_at")),
                'revokedAt', \(fragment: instant("t.revoked_at"))\(fragment: confirmation))
            FROM token t WHERE t.account_id = \(id) AND t.kind = \(kind) ORDER BY t.id DESC
            """
    }

    /// An expression: a time in the format of the API.
    private static func instant(_ column: Statement) -> Statement {
        "to_char(\(fragment: column) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')"
    }
}
