import Cryptography
import Foundation
import StrictJSON
import TestSupport
import Testing

@testable import Store

/// `keys rotate` and `keys list` on a private database.
@Suite(.timeLimit(.minutes(10))) struct RotatingKeys {
    private let folder: TemporaryFolder
    private var data: String { folder / "data" }
    private var secret: String { data + "/secret" }

    init() throws {
        folder = try TemporaryFolder()
    }

    private func runKeys(_ arguments: String...) async throws -> Program.Outcome {
        try await Program.run(["keys"] + arguments + ["--data", data])
    }

    private func items() async throws -> [JSONValue] {
        let listed = try await runKeys("list", "--json")
        #expect(listed.status == 0, "\(listed.errors)")
        return try JSONValue.parse(Array(listed.output.utf8.dropLast()))["items"]?.array ?? []
    }

    private func submit(_ service: RunningService, _ code: String, key: String) async throws -> JSONValue? {
        let response = try await service.client.post(
            "/v1/forms/\(code)/submissions", json: #"{"answers": {"pace": 3}}"#, headers: ["Idempotency-Key": key])
        #expect([200, 201].contains(response.status), "\(response.text)")
        return response.json
    }

    /// Receipts, replays and sessions from before a rotation work during and after it. Later forms use the new key.
    @Test func receiptsReplaysAndSessionsSurviveARotation() async throws {
        let (code, session, first) = try await RunningService(["--data", data]).using {
            service async throws -> (String, String?, JSONValue?) in
            let admin = try await service.admin(in: data)
            let (code, _) = try await service.openForm(by: admin)
            let first = try await submit(service, code, key: "one-key-of-a-client")
            let rotated = try await runKeys("rotate")
            #expect(rotated.status == 0 && rotated.output.hasPrefix("Added key 2 to \(secret).\n"), "\(rotated.errors)")
            #expect(rotated.output.contains("personal links and repeated requests of 1 form, "), "\(rotated.output)")
            #expect(rotated.errors.contains("Restart the service"), "\(rotated.errors)")
            #expect(try await submit(service, code, key: "one-key-of-a-client") == first)
            return (code, admin.authorization, first)
        }
        try await RunningService(["--data", data]).using { service async throws in
            #expect(try await submit(service, code, key: "one-key-of-a-client") == first)
            let submission = try await service.client.get(
                "/v1/forms/\(code)/submissions/\(first?["id"]?.string ?? "")",
                headers: ["Authorization": "Receipt \(first?["receipt"]?.string ?? "")"])
            #expect(submission.status == 200, "\(submission.text)")
            // The session was made before the rotation.
            let sameSession = HTTPTestClient(port: service.port, authorization: session)
            _ = try await service.openForm(by: sameSession)
        }
        let items = try await items()
        #expect(items.map { $0["key"]?.int } == [1, 2] && items.map { $0["forms"]?.int } == [1, 1], "\(items)")
    }

    @Test func dryRunReportsTheEffectsAndChangesNothing() async throws {
        try await RunningService(["--data", data]).using { _ in }
        let before = try Data(contentsOf: URL(fileURLWithPath: secret))
        let planned = try await runKeys("rotate", "--dry-run")
        #expect(planned.status == 0 && planned.output.hasPrefix("Would add key 2 to \(secret).\n"), "\(planned.errors)")
        for line in ["stays  sessions, API tokens", "stays  the secrets of 0 webhooks", "ends   open pages"] {
            #expect(planned.output.contains(line), "\(planned.output)")
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: secret)) == before)
        #expect(try await items().count == 1)
        let report = try await runKeys("rotate", "--dry-run", "--json")
        let json = try JSONValue.parse(Array(report.output.utf8.dropLast()))
        #expect(json["key"]?.int == 2 && json["added"]?.bool == false && json["dryRun"]?.bool == true)
    }

    @Test func newFileHasTheOwnerModeAndLinesOfTheOldOne() async throws {
        try await RunningService(["--data", data]).using { _ in }
        let old = try String(contentsOfFile: secret, encoding: .utf8)
        if getuid() == 0 { #expect(chown(secret, 65_534, 65_534) == 0) }
        let owner = try FileManager.default.attributesOfItem(atPath: secret)[.ownerAccountID] as? Int
        #expect(try await runKeys("rotate").status == 0)
        let attributes = try FileManager.default.attributesOfItem(atPath: secret)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(attributes[.ownerAccountID] as? Int == owner)
        let new = try String(contentsOfFile: secret, encoding: .utf8)
        #expect(new.hasPrefix(old) && new.dropFirst(old.count).contains("\n2 "), "\(new.count)")
        #expect(try KeyRing.load(path: secret).numbers == [1, 2])
    }

    /// A rotation that is killed at a random moment leaves a file with all former keys, and the service starts with it.
    @Test func killedRotationsLeaveAUsableFile() async throws {
        try await RunningService(["--data", data]).using { service async throws in
            let admin = try await service.admin(in: data)
            let (code, _) = try await service.openForm(by: admin)
            let first = try await submit(service, code, key: "one-key-of-a-client")
            for round in 0..<12 {
                let before = try KeyRing.read(secret)
                let process = try ChildProcess(
                    [Program.path, "keys", "rotate", "--data", data], environment: Program.environment([:]),
                    input: "/dev/null", output: folder / "out", errors: folder / "err")
                try await Task.sleep(for: .milliseconds(10 * round + Int.random(in: 0..<30)))
                kill(process.pid, SIGKILL)
                #expect([0, 128 + SIGKILL].contains(await process.status))
                let after = try KeyRing.read(secret)
                #expect(before.allSatisfy { after[$0.key] == $0.value } && after.count - before.count <= 1)
                #expect(try await submit(service, code, key: "one-key-of-a-client") == first)
            }
        }
        #expect(try await runKeys("rotate").status == 0)
        let names = try FileManager.default.contentsOfDirectory(atPath: data)
        #expect(names.filter { $0.contains("secret") } == ["secret"], "\(names)")
        let listedKeys = try await items().compactMap { $0["key"]?.int }
        #expect(listedKeys == (try KeyRing.load(path: secret)).numbers && listedKeys.count >= 2)
        try await RunningService(["--data", data]).using { service async throws in
            #expect(service.isRunning)
        }
    }

    @Test func backupFromBeforeARotationIsRestoredWithTheNewFile() async throws {
        try await RunningService(["--data", data]).using { service async throws in
            _ = try await service.openForm(by: service.admin(in: data))
        }
        let made = try await Program.run(["backup", "--to", folder / "backups", "--json", "--data", data])
        let path = try #require(try JSONValue.parse(made.output)["path"]?.string)
        #expect(try await runKeys("rotate").status == 0)
        let restored = try await Program.run([
            "restore", path, "--data", folder / "restored", "--secret-file", secret,
        ])
        #expect(restored.status == 0 && restored.output.contains("no differences"), "\(restored.errors)")
    }

    @Test func mistakesAreExplainedAndChangeNothing() async throws {
        let missing = try await runKeys("rotate")
        #expect(missing.status == 1 && missing.sentence.hasPrefix("There is no data folder at"), "\(missing.errors)")
        let migrated = try await Program.run(["migrate", "--data", data])
        try #require(migrated.status == 0, "\(migrated.errors)")
        for command in ["rotate", "list"] {
            let unused = try await runKeys(command)
            #expect(unused.status == 1 && unused.sentence.contains("start `afterword serve` first"), "\(unused.errors)")
        }
        #expect(access(secret, F_OK) != 0)
        try await RunningService(["--data", data]).using { _ in }
        let text = try String(contentsOfFile: secret, encoding: .utf8)
        try FileManager.default.moveItem(atPath: secret, toPath: folder / "moved")
        let lost = try await runKeys("rotate")
        #expect(lost.status == 1 && lost.sentence.contains("is missing, but this database was used with one"))
        _ = try folder.write("1 \(Base64URL.encode(RandomBytes.make(32)))\n", to: "data/secret")
        chmod(secret, 0o600)
        let other = try await runKeys("rotate")
        #expect(other.status == 1 && other.sentence.hasPrefix("Key 1 of the secret file is not the key"))
        _ = try folder.write(text, to: "data/secret")
        chmod(secret, 0o644)
        let readable = try await runKeys("rotate")
        #expect(readable.status == 1 && readable.sentence.contains("has mode 644"), "\(readable.errors)")
        #expect(try String(contentsOfFile: secret, encoding: .utf8) == text)
    }

    /// A limit on the size of files simulates a full disk, or a file that cannot be replaced, such as a mounted one.
    @Test func fullDiskLeavesTheOldFile() async throws {
        try await RunningService(["--data", data]).using { service async throws in
            let text = try String(contentsOfFile: secret, encoding: .utf8)
            let script = "(ulimit -f 0; exec '\(Program.path)' keys rotate --data '\(data)') 2>&1 | cat"
            let outcome = try await Program.run(["-c", script], program: "/bin/bash")
            #expect(outcome.output.contains("\(secret) cannot be written (File too large)"), "\(outcome.output)")
            #expect(outcome.output.contains("add a key there, as docs/operations.md says."), "\(outcome.output)")
            #expect(try String(contentsOfFile: secret, encoding: .utf8) == text)
        }
        #expect(try await items().count == 1)
    }
}
