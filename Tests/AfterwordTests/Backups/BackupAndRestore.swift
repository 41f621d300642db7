import Cryptography
import Foundation
import StrictJSON
import TestSupport
import Testing

@testable import afterword

/// `backup` and `restore` of a private database.
@Suite(.timeLimit(.minutes(10))) struct BackupAndRestore {
    private let folder: TemporaryFolder
    private var data: String { folder / "data" }
    private var restored: String { folder / "restored" }

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Starts a service, submits answers, and makes a backup while the service runs.
    private func backUp(_ options: String..., answers: Int = 5) async throws -> (
        path: String, code: String, meeting: String, receipts: [(id: String, receipt: String)]
    ) {
        try await RunningService(["--data", data]).using { service async throws in
            let (code, meeting) = try await service.openForm(by: service.admin(in: data))
            var receipts: [(id: String, receipt: String)] = []
            for number in 0..<answers {
                let response = try await service.client.post(
                    "/v1/forms/\(code)/submissions",
                    json: #"{"answers": {"pace": \#(number % 5 + 1), "better": "text \#(number)"}}"#)
                receipts.append((response.json?["id"]?.string ?? "", response.json?["receipt"]?.string ?? ""))
            }
            let made = try await Program.run(
                ["backup", "--to", folder / "backups", "--json", "--data", data] + options)
            try #require(made.status == 0, "\(made.errors)")
            let report = try JSONValue.parse(made.output)
            let path = try #require(report["path"]?.string)
            #expect(report["manifest"]?["rows"]?["submission"]?.int == answers)
            return (path, code, meeting, receipts)
        }
    }

    private func copySecret() throws {
        try FileManager.default.createDirectory(
            atPath: restored, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o711])
        try FileManager.default.copyItem(atPath: data + "/secret", toPath: restored + "/secret")
        chmod(restored + "/secret", 0o600)
    }

    private func restore(_ path: String, _ options: String...) async throws -> Program.Outcome {
        try await Program.run(["restore", path, "--data", restored] + options)
    }

    private var restoredFiles: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: restored)) ?? []).sorted()
    }

    @Test func restoredServiceShowsTheSameResultsAndAcceptsTheReceipts() async throws {
        let backup = try await backUp()
        try copySecret()
        let outcome = try await restore(backup.path)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("submissions: 5, forms: 1, no differences."), "\(outcome.output)")
        // The password of the first admin is only in the other folder.
        try FileManager.default.copyItem(atPath: data + "/first-admin", toPath: restored + "/first-admin")
        try await RunningService(["--data", restored]).using { service async throws in
            let results = try await service.admin(in: restored).get("/v1/meetings/\(backup.meeting)/results")
            #expect(results.json?["submissions"]?.int == 5, "\(results.text)")
            for (id, receipt) in backup.receipts {
                let found = try await service.client.get(
                    "/v1/forms/\(backup.code)/submissions/\(id)", headers: ["Authorization": "Receipt \(receipt)"])
                #expect(found.status == 200, "\(found.text)")
            }
            let another = try await service.client.post(
                "/v1/forms/\(backup.code)/submissions", json: #"{"answers": {"pace": 1}}"#)
            #expect(another.status == 201, "\(another.text)")
        }
        let doctor = try await Program.run(["doctor", "--data", data])
        #expect(doctor.output.contains("The last backup was made at 20"), "\(doctor.output)")
    }

    @Test func backupIsPrivateAndDescribedByItsManifest() async throws {
        let backup = try await backUp()
        let attributes = try FileManager.default.attributesOfItem(atPath: backup.path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o700)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder / "backups").count == 1)
        let text = try String(contentsOfFile: backup.path + "/manifest.json", encoding: .utf8)
        let manifest = try JSONValue.parse(text)
        #expect(manifest["format"]?.int == 1 && manifest["encryption"] == nil)
        #expect(manifest["hasRoles"]?.bool == true && manifest["keys"]?.array?.count == 1)
        let secret = try String(contentsOfFile: data + "/secret", encoding: .utf8)
        let key = try #require(secret.split(separator: "\n").last?.split(separator: " ").last)
        #expect(!text.contains(key))
    }

    @Test func encryptedBackupNeedsItsPassphrase() async throws {
        let passphrase = try folder.write("correct horse battery\n", to: "passphrase")
        let backup = try await backUp("--passphrase-file", passphrase)
        let dump = try Data(contentsOf: URL(fileURLWithPath: backup.path + "/database.dump"))
        #expect(dump.firstRange(of: Data("PGDMP".utf8)) == nil && dump.firstRange(of: Data("text 1".utf8)) == nil)
        try copySecret()
        let without = try await restore(backup.path)
        #expect(without.status == 1 && without.sentence.contains("is encrypted: name the file"), "\(without.errors)")
        let other = try folder.write("correct horse batterY\n", to: "other")
        let wrong = try await restore(backup.path, "--passphrase-file", other)
        #expect(wrong.status == 1 && wrong.sentence.hasPrefix("The passphrase does not belong to"), "\(wrong.errors)")
        #expect(restoredFiles == ["secret"])
        // The line break at the end does not matter.
        let bare = try folder.write("correct horse battery", to: "bare")
        let right = try await restore(backup.path, "--passphrase-file", bare)
        #expect(right.status == 0 && right.output.contains("no differences"), "\(right.errors)")
    }

    @Test func damagedBackupIsRefusedBeforeAnythingIsCreated() async throws {
        let backup = try await backUp()
        try copySecret()
        let url = URL(fileURLWithPath: backup.path + "/database.dump")
        let whole = try Data(contentsOf: url)
        var changed = whole
        changed[whole.count / 2] ^= 1
        for damaged in [changed, whole.dropLast(), whole + Data([0]), Data()] {
            try Data(damaged).write(to: url)
            let outcome = try await restore(backup.path)
            #expect(outcome.status == 1 && outcome.sentence.contains("is damaged"), "\(outcome.errors)")
        }
        try FileManager.default.removeItem(at: url)
        #expect(try await restore(backup.path).sentence.contains("is damaged"))
        #expect(restoredFiles == ["secret"])
        let unused = try folder.write("correct horse battery", to: "unused")
        try whole.write(to: url)
        #expect(try await restore(backup.path, "--passphrase-file", unused).sentence.contains("is not encrypted"))
    }

    /// A person who can write to the folder of backups changes the dump and everything the manifest says about it.
    @Test func forgedBackupIsRefusedBeforeAnythingIsCreated() async throws {
        let backup = try await backUp()
        try copySecret()
        let url = URL(fileURLWithPath: backup.path + "/manifest.json")
        let whole = try String(contentsOf: url, encoding: .utf8)
        let forgery = Data("forged".utf8)
        try forgery.write(to: URL(fileURLWithPath: backup.path + "/database.dump"))
        let manifest = try JSONValue.parse(whole)
        let original = try (#require(manifest["sha256"]?.string), #require(manifest["bytes"]?.int))
        let digest = SHA256.hash(forgery).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let changed = whole.replacing(original.0, with: digest)
            .replacing("\"bytes\" : \(original.1)", with: "\"bytes\" : \(forgery.count)")
        let key = try #require(manifest["authentication"]?["key"]?.int)
        let unproven = changed.replacing(/\s*"authentication" : \{[^}]*\},/, with: "")
        let otherKey = changed.replacing("\"key\" : \(key)", with: "\"key\" : 7")
        for (text, reason) in [
            (changed, "was changed after"), (otherKey, "was changed after"), (unproven, "does not prove"),
            (unproven.replacing(/"keys" : \[[^\]]*\]/, with: #""keys" : []"#), "does not prove"),
        ] {
            try Data(text.utf8).write(to: url)
            let outcome = try await restore(backup.path)
            #expect(outcome.status == 1 && outcome.sentence.contains(reason), "\(outcome.errors)")
        }
        try Data(changed.utf8).write(to: url)
        let trusted = try await restore(backup.path, "--trust")
        #expect(trusted.status == 1 && trusted.sentence.contains("was changed after"), "\(trusted.errors)")
        #expect(restoredFiles == ["secret"])
    }

    @Test func backupWithoutTheSecretFileNeedsTrust() async throws {
        let elsewhere = folder / "elsewhere"
        let backup = try await backUp("--secret-file", elsewhere)
        try copySecret()
        let refused = try await restore(backup.path)
        #expect(refused.status == 1 && refused.sentence.contains("restore it with --trust"), "\(refused.errors)")
        #expect(restoredFiles == ["secret"])
        let outcome = try await restore(backup.path, "--trust")
        #expect(outcome.status == 0 && outcome.output.contains("no differences"), "\(outcome.errors)")
        // The secret file of another database could not authenticate the backup.
        try Data("1 \(String(repeating: "A", count: 43))\n".utf8).write(to: URL(fileURLWithPath: elsewhere))
        chmod(elsewhere, 0o600)
        let other = try await Program.run(
            ["backup", "--to", folder / "backups", "--secret-file", elsewhere, "--data", data])
        #expect(other.status == 1 && other.sentence.contains("Key 1 of the secret file is not"), "\(other.errors)")
    }

    @Test func restoreNeedsTheSecretFileOfTheBackup() async throws {
        let backup = try await backUp()
        let without = try await restore(backup.path)
        #expect(
            without.status == 1 && without.sentence.contains("put a copy of it at \(restored)/secret"),
            "\(without.errors)")
        #expect(restoredFiles == [])
        try FileManager.default.createDirectory(atPath: restored, withIntermediateDirectories: true)
        let other = "1 \(String(repeating: "A", count: 43))\n"
        try Data(other.utf8).write(to: URL(fileURLWithPath: restored + "/secret"))
        chmod(restored + "/secret", 0o644)
        let readable = try await restore(backup.path)
        #expect(readable.status == 1 && readable.sentence.contains("has mode 644"), "\(readable.errors)")
        #expect(restoredFiles == ["secret"])
        chmod(restored + "/secret", 0o600)
        let wrong = try await restore(backup.path)
        #expect(wrong.status == 1 && wrong.sentence.contains("does not belong to this backup"), "\(wrong.errors)")
        #expect(restoredFiles == ["secret"])
    }

    @Test func databaseWithTablesIsNotOverwritten() async throws {
        let backup = try await backUp()
        let outcome = try await Program.run(["restore", backup.path, "--data", data])
        #expect(
            outcome.status == 1 && outcome.sentence.hasPrefix("The database is not empty, because it has the table"))
        let verified = try await Program.run(["verify", "--data", data])
        #expect(verified.output.contains(", 5 submissions"), "\(verified.output)")
    }

    @Test func foldersThatAreNotBackupsAreRefused() async throws {
        let backup = try await backUp()
        try copySecret()
        let missing = try await restore(folder / "nothing")
        #expect(missing.status == 1 && missing.sentence.contains("is not a backup: name the folder"))
        let url = URL(fileURLWithPath: backup.path + "/manifest.json")
        let text = try String(contentsOf: url, encoding: .utf8).replacing(
            /\s*"authentication" : \{[^}]*\},/, with: "")
        for (manifest, sentence) in [
            ("{}", "is not a backup"), ("no JSON", "is not a backup"),
            (text.replacing("\"format\" : 1", with: "\"format\" : 2"), "has format 2"),
            (text.replacing("\"migration\" : ", with: "\"migration\" : 9"), "use a newer afterword"),
            (text.replacing("\"postgresMajor\" : ", with: "\"postgresMajor\" : 9"), "or newer"),
        ] {
            try Data(manifest.utf8).write(to: url)
            let outcome = try await restore(backup.path, "--trust")
            #expect(outcome.status == 1 && outcome.sentence.contains(sentence), "\(sentence): \(outcome.errors)")
        }
    }

    @Test func keepOptionDeletesOlderBackups() async throws {
        _ = try await backUp()
        var paths: [String] = []
        for _ in 1...3 {
            let made = try await Program.run(
                ["backup", "--to", folder / "backups", "--keep", "2", "--json", "--data", data])
            paths.append(try JSONValue.parse(made.output)["path"]?.string ?? made.errors)
        }
        let remaining = try FileManager.default.contentsOfDirectory(atPath: folder / "backups").sorted()
        #expect(remaining == paths.suffix(2).map { URL(fileURLWithPath: $0).lastPathComponent }.sorted())
        let zero = try await Program.run(["backup", "--to", folder / "backups", "--keep", "0", "--data", data])
        #expect(zero.status == 2 && zero.sentence == "--keep must be at least 1.")
    }

    @Test func nextBackupRemovesAnInterruptedBackup() async throws {
        _ = try await backUp()
        let interrupted = folder / "backups/.afterword-backup.5B0A7A3C-0000-4000-8000-000000000000"
        try FileManager.default.createDirectory(atPath: interrupted, withIntermediateDirectories: false)
        let made = try await Program.run(["backup", "--to", folder / "backups", "--data", data])
        #expect(made.status == 0 && made.errors.contains("is not in it: keep a copy elsewhere"), "\(made.errors)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder / "backups")
        #expect(names.count == 2 && names.allSatisfy { $0.hasPrefix("afterword-20") }, "\(names)")
    }

    @Test func invalidPassphrasesAndPlacesAreRefused() async throws {
        _ = try await backUp(answers: 1)
        for (text, sentence) in [("", "must have 10 to 1024 bytes"), ("short\n", "must have 10 to 1024 bytes")] {
            let file = try folder.write(text, to: "passphrase")
            let outcome = try await Program.run(
                ["backup", "--to", folder / "backups", "--passphrase-file", file, "--data", data])
            #expect(outcome.status == 2 && outcome.sentence.contains(sentence), "\(outcome.errors)")
        }
        let missing = try await Program.run(
            ["backup", "--to", folder / "backups", "--passphrase-file", folder / "none", "--data", data])
        #expect(missing.status == 2 && missing.sentence.contains("cannot be read"))
        let file = try folder.write("a file", to: "file")
        let unusable = try await Program.run(["backup", "--to", file, "--data", data])
        #expect(unusable.status == 1 && unusable.sentence.contains("cannot be used"), "\(unusable.errors)")
    }
}
