import Cryptography
import Foundation
import TestSupport
import Testing

@testable import Backups

/// A dump is read once to check it and once to restore it. In between, a user who can write to its folder may replace
/// it.
@Suite struct ExchangedDumps {
    private let folder: TemporaryFolder
    /// A dump that is read in three parts.
    private let dump = [1 << 20, 1 << 20, 10].flatMap {
        [UInt8](repeating: UInt8(truncatingIfNeeded: $0 >> 3), count: $0)
    }

    init() throws {
        folder = try TemporaryFolder()
    }

    private func write(_ bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: folder / "database.dump"))
    }

    private func checkedBackup() throws -> BackupContents {
        try write(dump)
        var hash = SHA256()
        hash.update(dump)
        let manifest = BackupManifest(
            createdAt: .now, program: "1", postgres: "15", postgresMajor: 15, migration: 1, hasRoles: true, keys: [],
            rows: [:], unsettledForms: 0, bytes: dump.count, sha256: hash.hexadecimal)
        try manifest.json().write(to: URL(fileURLWithPath: folder / "manifest.json"))
        return try BackupContents(path: folder.path, passphrase: nil)
    }

    @Test func checkedBytesAreRead() throws {
        let next = try checkedBackup().plainText()
        var read: [UInt8] = []
        while let part = try next() { read += part }
        #expect(read == dump)
    }

    /// Reading fails before it returns a byte that differs from the checked dump.
    @Test func onlyCheckedBytesOfAReplacedDumpAreRead() throws {
        let backup = try checkedBackup()
        var changed = dump
        changed[1 << 20] ^= 1
        for other in [changed, Array(dump.dropLast()), dump + [0], Array(dump.prefix(1 << 20)), []] {
            try write(other)
            let next = try backup.plainText()
            var read: [UInt8] = []
            #expect(throws: BackupError.self) { while let part = try next() { read += part } }
            #expect(read == Array(dump.prefix(read.count)) && read.count < other.count + (1 << 20))
        }
    }
}
