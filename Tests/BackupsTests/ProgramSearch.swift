import Foundation
import TestSupport
import Testing

@testable import Backups

/// The choice of `pg_dump` for a version of the server.
@Suite struct ProgramSearch {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Creates a program that prints a version, and returns its path.
    @discardableResult
    private func install(_ path: String, version: String) throws -> String {
        let url = URL(fileURLWithPath: folder / path)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("#!/bin/sh\necho 'pg_dump (PostgreSQL) \(version)'\n".utf8).write(to: url)
        chmod(url.path, 0o755)
        return url.path
    }

    private func find(_ major: Int, search: String = "") async throws -> PostgresProgram {
        try await PostgresProgram.find("pg_dump", atLeast: major, roots: [folder / "lib"], search: search)
    }

    @Test func oldestSuitableVersionIsUsed() async throws {
        for major in ["13", "15", "17"] { try install("lib/\(major)/bin/pg_dump", version: "\(major).1") }
        #expect(try await find(14).major == 15)
        #expect(try await find(15).major == 15)
        #expect(try await find(16).path == folder / "lib/17/bin/pg_dump")
        await #expect(throws: BackupError.programMissing(program: "pg_dump", major: 18, found: [13, 15, 17])) {
            try await find(18)
        }
    }

    @Test func searchPathIsUsedIfNoRootIsSuitable() async throws {
        try install("lib/14/bin/pg_dump", version: "14.2")
        let path = try install("bin/pg_dump", version: "16.3 (Ubuntu 16.3-1)")
        let found = try await find(15, search: "relative:/nonexistent:\(folder / "bin")")
        #expect(found.path == path && found.major == 16)
    }

    @Test func unusableProgramsAreIgnored() async throws {
        try install("bin/pg_dump", version: "of no number")
        await #expect(throws: BackupError.programMissing(program: "pg_dump", major: 15, found: [])) {
            try await find(15, search: folder / "bin")
        }
        #expect("\(BackupError.programMissing(program: "pg_dump", major: 15, found: []))".contains("none is installed"))
    }
}
