import Cryptography
import Foundation

/// The description of a backup, `manifest.json` in its folder. Bytes are in base64, unless stated otherwise, and times
/// in RFC 3339 format.
public struct BackupManifest: Sendable, Equatable, Codable {
    /// A key of the secret file. The check value reveals nothing about the key.
    public struct Key: Sendable, Equatable, Codable {
        public var number: Int
        public var checkValue: Data
    }

    /// The parameters of the key with which a dump is encrypted.
    public struct Encryption: Sendable, Equatable, Codable {
        public var salt: Data
        public var passes: Int
        /// In bytes.
        public var memory: Int
    }

    /// The format that this program writes and reads. A new member requires a new format, because programs that do not
    /// know the member could not authenticate the manifest.
    public static let currentFormat = 1

    public var format = currentFormat
    /// When the snapshot was taken.
    public var createdAt: Date
    /// The version of the program that made the backup.
    public var program: String
    /// The server's version, such as `15.10 (Debian 15.10-0+deb12u1)`.
    public var postgres: String
    public var postgresMajor: Int
    /// The number of the newest migration.
    public var migration: Int
    /// Whether the tables belong to the role `afterword_owner`.
    public var hasRoles: Bool
    /// The keys of the secret file that belongs to the database.
    public var keys: [Key]
    /// The number of rows in each table.
    public var rows: [String: Int]
    /// The number of anonymous forms that have been published and are not final.
    public var unsettledForms: Int
    /// The size of the dump as it is stored, in bytes.
    public var bytes: Int
    /// The hash of the dump as it is stored, in hexadecimal as `sha256sum` prints it.
    public var sha256: String
    /// Nil if the dump is not encrypted.
    public var encryption: Encryption?
    /// Nil if the secret file was missing when the backup was made, and for backups by older programs.
    public var authentication: Authentication?

    /// The total number of rows in all tables.
    public var rowCount: Int { rows.values.reduce(0, +) }
}

extension BackupManifest {
    static func read(_ data: Data) throws -> BackupManifest {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode(BackupManifest.self, from: data)
    }

    public func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self) + Data("\n".utf8)
    }
}

extension BackupManifest.Encryption {
    init(_ parameters: PassphraseKey.Parameters) {
        self.init(salt: Data(parameters.salt), passes: parameters.passes, memory: parameters.memory)
    }

    var parameters: PassphraseKey.Parameters {
        PassphraseKey.Parameters(salt: Array(salt), passes: passes, memory: memory)
    }
}
