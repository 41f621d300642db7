import Cryptography
import Foundation

/// An existing backup, checked against its manifest.
public struct BackupContents: Sendable {
    public let path: String
    public let manifest: BackupManifest
    private let key: PassphraseKey?
    /// The digest of each part of the dump, from the check. The file is read again for `pg_restore`, which runs the SQL
    /// in it.
    private let digests: [[UInt8]]

    private static let partByteCount = 1 << 20

    /// Reads the manifest and the whole dump.
    ///
    /// - Parameter progress: Called with the number of bytes read so far and the total number.
    public init(
        path: String, passphrase: [UInt8]?, progress: (Int, Int) -> Void = { _, _ in }
    ) throws {
        let folder = BackupFolder(path: path)
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: folder.manifestPath)) else {
            throw BackupError.notABackup(path: path)
        }
        do {
            manifest = try BackupManifest.read(data)
        } catch {
            struct Format: Decodable { var format: Int }
            guard let format = try? JSONDecoder().decode(Format.self, from: data).format,
                format != BackupManifest.currentFormat
            else { throw BackupError.notABackup(path: path) }
            throw BackupError.unsupportedFormat(path: path, format: format)
        }
        guard manifest.format == BackupManifest.currentFormat else {
            throw BackupError.unsupportedFormat(path: path, format: manifest.format)
        }
        self.path = path
        switch (manifest.encryption, passphrase) {
        case (nil, nil): key = nil
        case (nil, _?): throw BackupError.passphraseUnused(path: path)
        case (_?, nil): throw BackupError.passphraseMissing(path: path)
        case (let encryption?, let passphrase?):
            guard encryption.parameters.isAcceptable else { throw BackupError.notABackup(path: path) }
            key = try Backup.key(passphrase, encryption.parameters)
        }
        digests = try Self.check(folder, manifest, key, progress)
    }

    /// Throws unless the dump matches the manifest. Returns the digest of each part.
    private static func check(
        _ folder: BackupFolder, _ manifest: BackupManifest, _ key: PassphraseKey?, _ progress: (Int, Int) -> Void
    ) throws -> [[UInt8]] {
        var digests: [[UInt8]] = []
        var hash = SHA256()
        var byteCount = 0
        let next = try reader(folder)
        while let part = try next() {
            try Task.checkCancellation()
            if byteCount == 0, let key {
                // The first chunk shows whether the passphrase is right.
                do { _ = try SecretStream.Decryptor(key).update(part) } catch {
                    throw BackupError.wrongPassphrase(path: folder.path)
                }
            }
            hash.update(part)
            digests.append(SHA256.hash(part))
            byteCount += part.count
            progress(byteCount, manifest.bytes)
        }
        guard byteCount == manifest.bytes, hash.hexadecimal == manifest.sha256 else {
            throw BackupError.damaged(path: folder.path)
        }
        return digests
    }

    /// Returns a function that returns the next part of the dump's plain text, and nil at its end. The function throws
    /// if a part has changed since it was checked.
    func plainText() throws -> () throws -> [UInt8]? {
        let read = try Self.reader(BackupFolder(path: path))
        var remainingDigests = digests[...]
        let next = { [path] () throws -> [UInt8]? in
            let part = try read()
            guard part.map(SHA256.hash) == remainingDigests.popFirst() else { throw BackupError.damaged(path: path) }
            return part
        }
        guard let key else { return next }
        let decryptor = SecretStream.Decryptor(key)
        var isFinished = false
        return { [path] in
            guard !isFinished else { return nil }
            do {
                if let part = try next() { return try decryptor.update(part) }
                isFinished = true
                return try decryptor.finish()
            } catch is SecretStream.Failure {
                throw BackupError.damaged(path: path)
            }
        }
    }

    private static func reader(_ folder: BackupFolder) throws -> () throws -> [UInt8]? {
        let handle: FileHandle
        do {
            handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: folder.dumpPath))
        } catch {
            throw BackupError.damaged(path: folder.path)
        }
        return {
            guard let data = try handle.read(upToCount: partByteCount), !data.isEmpty else { return nil }
            return Array(data)
        }
    }
}
