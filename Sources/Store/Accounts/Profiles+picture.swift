import Cryptography
import Domain
import Foundation
import Postgres

/// An image as stored: re-encoded by this service, never the bytes that were uploaded.
public struct StoredImage: Sendable {
    public var mediaType: String
    public var bytes: [UInt8]
    /// SHA-256 of the bytes.
    public var digest: [UInt8]
}

extension Profiles {
    public func picture(of id: UUID) async throws -> StoredImage {
        let row = try await pool.query(
            "SELECT media_type, bytes, digest FROM account_picture WHERE account_id = \(id)"
        ).found()
        let (type, bytes, digest) = try row.decode(String.self, [UInt8].self, [UInt8].self)
        return StoredImage(mediaType: type, bytes: bytes, digest: digest)
    }

    /// Sets the picture, or replaces it.
    public func setPicture(_ bytes: [UInt8], as mediaType: String, by principal: Principal) async throws {
        let id = principal.account.id
        try await pool.transaction { connection in
            try await principal.confirm(on: connection)
            try await connection.execute(
                """
                INSERT INTO account_picture (account_id, media_type, bytes, digest)
                VALUES (\(id), \(mediaType), \(bytes), \(SHA256.hash(bytes)))
                ON CONFLICT (account_id) DO UPDATE SET media_type = excluded.media_type, bytes = excluded.bytes,
                    digest = excluded.digest
                """)
            try await Self.recordChange(id, on: connection)
        }
    }

    /// Removes the picture; throws 404 when there is none.
    public func removePicture(by principal: Principal) async throws {
        let id = principal.account.id
        try await pool.transaction { connection in
            try await principal.confirm(on: connection)
            let removed = try await connection.execute("DELETE FROM account_picture WHERE account_id = \(id)")
            guard removed == 1 else { throw Problem(.notFound) }
            try await Self.recordChange(id, on: connection)
        }
    }

    private static func recordChange(_ id: UUID, on connection: Connection) async throws {
        try await connection.execute("UPDATE account SET revision = revision + 1 WHERE id = \(id)")
        try await Audit.record("account.picture", of: id, by: id, on: connection)
    }
}
