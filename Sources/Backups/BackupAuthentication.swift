import Cryptography
import Foundation
import Store

/// Proves that a manifest, and with it the dump, was written by a program that had the secret file. This matters
/// because a restore runs the SQL in the dump.
extension BackupManifest {
    /// An HMAC-SHA256 of the manifest without this member, encoded as in its file. The HMAC key is derived from a key
    /// of the secret file.
    public struct Authentication: Sendable, Equatable, Codable {
        /// The number of the key in the secret file.
        public var key: Int
        public var mac: Data
    }

    mutating func addAuthentication(with keys: KeyRing) throws {
        authentication = Authentication(key: keys.newest, mac: try mac(with: keys, number: keys.newest))
    }

    /// Whether the manifest is unchanged since its authentication. The keys must be those of the backup's secret file.
    func isAuthentic(with keys: KeyRing) throws -> Bool {
        guard let authentication, keys.numbers.contains(authentication.key) else { return false }
        return constantTimeEquals(
            Array(authentication.mac), Array(try mac(with: keys, number: authentication.key)))
    }

    private func mac(with keys: KeyRing, number: Int) throws -> Data {
        var content = self
        content.authentication = nil
        return Data(
            HMACSHA256.authenticate(Array(try content.json()), key: try keys.key(for: .backup, number: number)))
    }
}

extension BackupContents {
    /// Throws unless the backup was made with one of these keys and has not been changed since.
    public func requireAuthenticity(with keys: KeyRing) throws {
        guard manifest.authentication != nil else { throw BackupError.notAuthenticated(path: path) }
        guard try manifest.isAuthentic(with: keys) else { throw BackupError.forged(path: path) }
    }
}
