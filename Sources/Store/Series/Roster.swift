import Domain
import Foundation
import Postgres
import StrictJSON

/// The members of a series. Each change runs under the lock of the series. Rounds are created under the same lock, so
/// that a new member is also expected in a round that is created at the same time.
public struct Roster: Sendable {
    let pool: Pool

    /// Returns members, sorted by address.
    ///
    /// - Parameters:
    ///   - searchText: Text that the name or address contains, ignoring case.
    ///   - email: The last address of the previous page; nil for the first page.
    public func list(
        of seriesID: UUID, searchText: String?, after email: String?, limit: Int
    ) async throws -> [Member] {
        var statement = Member.select + "\nWHERE b.series_id = \(seriesID)"
        if let searchText {
            statement += """
                 AND (strpos(lower(b.name), lower(\(searchText))) > 0
                    OR strpos(lower(b.email::text), lower(\(searchText))) > 0)
                """
        }
        if let email { statement += " AND b.email > \(email)::citext" }
        return try await pool.query(statement + "\nORDER BY b.email LIMIT \(limit)").map(Member.read)
    }

    /// Throws 404 if there is no such member.
    public func require(_ id: UUID, in seriesID: UUID) async throws {
        _ = try await pool.query("SELECT 1 FROM member WHERE id = \(id) AND series_id = \(seriesID)").requireFirst()
    }

    /// Adds the people whose address is not on the roster yet. If an address occurs twice, the first entry is used.
    ///
    /// - Parameter render: Renders the response from the members with these addresses, as they are stored now, and the
    ///   number of new members.
    public func add(
        _ drafts: [MemberDraft], to seriesID: UUID, by principal: Principal, once request: IdempotentRequest?,
        render: @escaping @Sendable ([Member], _ added: Int) throws -> [UInt8]
    ) async throws -> IdempotentResponse {
        try await pool.once(request) { connection in
            try await Access.lock(seriesID, by: principal, atLeast: .editor, on: connection)
            let added = try await Self.add(drafts, in: seriesID, on: connection)
            if !added.isEmpty {
                try await Audit.record("member.add", of: seriesID, by: principal.account.id, on: connection)
            }
            return try render(try await Self.find(drafts.map(\.email), in: seriesID, on: connection), added.count)
        }
    }

    /// Changes a member's name or address, on the roster and on the lists where the member is still expected. Throws
    /// 404 if there is no such member.
    public func change(
        _ id: UUID, _ change: MemberChange, in seriesID: UUID, by principal: Principal
    ) async throws -> Member {
        try await pool.transaction { connection in
            try await Access.lock(seriesID, by: principal, atLeast: .editor, on: connection)
            let selectMember = Member.select + "\nWHERE b.id = \(id) AND b.series_id = \(seriesID)"
            let before = try Member.read(await connection.query(selectMember).requireFirst())
            if let email = change.email {
                try await Person.ensure([email], in: seriesID, on: connection)
            }
            try await connection.execute(
                """
                UPDATE member SET name = coalesce(\(change.name?.text), name),
                    email = coalesce(\(change.email?.text)::citext, email) WHERE id = \(id)
                """)
            try await Self.changeExpected(
                before.email, to: change.name?.text, change.email?.text, in: seriesID, on: connection)
            try await Audit.record("member.edit", of: seriesID, by: principal.account.id, on: connection)
            return try Member.read(await connection.query(selectMember).requireFirst())
        }
    }

    /// Renames the members with these addresses. Throws 422 with a fault for each address that is not on the roster.
    public func rename(
        _ drafts: [MemberDraft], in seriesID: UUID, by principal: Principal
    ) async throws -> [Member] {
        try await pool.transaction { connection in
            try await Access.lock(seriesID, by: principal, atLeast: .editor, on: connection)
            let (names, emails) = (drafts.map(\.name.text), drafts.map(\.email.text))
            let unknown = try await connection.query(
                """
                SELECT u.position - 1 FROM unnest(\(emails)::citext[]) WITH ORDINALITY AS u (email, position)
                LEFT JOIN member b ON b.series_id = \(seriesID) AND b.email = u.email
                WHERE b.id IS NULL ORDER BY u.position
                """)
            guard unknown.isEmpty else {
                throw Problem(
                    try unknown.map { row in
                        Fault(
                            .invalid, at: "/members/\(try row.decode(Int.self))/email", code: "unknown-member",
                            "Nobody on the roster has this address.")
                    })
            }
            try await connection.execute(
                """
                UPDATE member AS b SET name = u.name
                FROM (SELECT DISTINCT ON (email) name, email FROM unnest(\(names), \(emails)::citext[])
                    WITH ORDINALITY AS n (name, email, position) ORDER BY email, position) u
                WHERE b.series_id = \(seriesID) AND b.email = u.email
                """)
            try await connection.execute(
                """
                UPDATE attendee AS a SET name = b.name FROM meeting m, member b
                WHERE m.series_id = \(seriesID) AND m.id = a.meeting_id AND b.series_id = m.series_id
                    AND b.email = a.email AND b.email = ANY (\(emails)::citext[])
                    AND \(fragment: Self.stillExpected) AND a.name <> b.name
                """)
            try await Audit.record("member.edit", of: seriesID, by: principal.account.id, on: connection)
            return try await Self.find(drafts.map(\.email), in: seriesID, on: connection)
        }
    }

    /// Removes a member. Throws 404 if there is no such member.
    public func remove(_ id: UUID, from seriesID: UUID, by principal: Principal) async throws {
        let removed = try await remove("b.id = \(id)", from: seriesID, by: principal)
        guard removed == 1 else { throw Problem(.notFound) }
    }

    /// Removes the members with these addresses and returns their number.
    public func remove(_ emails: [EmailAddress], from seriesID: UUID, by principal: Principal) async throws -> Int {
        try await remove("b.email = ANY (\(emails.map(\.text))::citext[])", from: seriesID, by: principal)
    }

    private func remove(_ condition: Statement, from seriesID: UUID, by principal: Principal) async throws -> Int {
        try await pool.transaction { connection in
            try await Access.lock(seriesID, by: principal, atLeast: .editor, on: connection)
            let removed = try await connection.query(
                """
                DELETE FROM member b WHERE b.series_id = \(seriesID) AND \(fragment: condition) RETURNING b.email::text
                """
            ).map { row -> String in try row.decode(String.self) }
            guard !removed.isEmpty else { return 0 }
            try await Self.removeExpected(removed, in: seriesID, on: connection)
            try await Person.renewCodes(of: removed, in: seriesID, on: connection)
            try await Audit.record("member.remove", of: seriesID, by: principal.account.id, on: connection)
            return removed.count
        }
    }

    private static func find(
        _ emails: [EmailAddress], in seriesID: UUID, on connection: Connection
    ) async throws -> [Member] {
        try await connection.query(
            """
            \(fragment: Member.select)
            JOIN (SELECT email, min(position) AS position FROM unnest(\(emails.map(\.text))::citext[])
                WITH ORDINALITY AS n (email, position) GROUP BY email) u ON u.email = b.email
            WHERE b.series_id = \(seriesID) ORDER BY u.position
            """
        ).map(Member.read)
    }
}

/// A person on a series' roster.
public struct Member: Sendable {
    public var id: UUID
    public var name: String
    public var email: String
    public var createdAt: Date

    static let select: Statement = "SELECT b.id, b.name, b.email::text, b.created_at FROM member b"

    static func read(_ row: Row) throws -> Member {
        var columns = Columns(row)
        return Member(
            id: try columns.next(), name: try columns.next(), email: try columns.next(),
            createdAt: try columns.next())
    }
}
