import Foundation
import Postgres

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
