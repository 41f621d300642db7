import Foundation
import StrictJSON
import TestSupport
import Testing

/// Backups of older schemas are brought up to date, with all their data.
@Suite(.timeLimit(.minutes(5))) struct BackupsOfOlderVersions {
    @Test(arguments: ["schema-8"])
    func backupIsRestoredAndMigrated(name: String) async throws {
        let fixture = Repository.url("Tests/Fixtures/\(name)")
        let expected = try JSONValue.parse(Array(Data(contentsOf: fixture.appending(path: "expected.json"))))
        let folder = try TemporaryFolder()
        let data = folder / "data"
        try FileManager.default.createDirectory(
            atPath: data, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o711])
        for file in ["secret", "first-admin"] {
            try FileManager.default.copyItem(atPath: fixture.appending(path: file).path, toPath: "\(data)/\(file)")
            chmod("\(data)/\(file)", 0o600)
        }
        let restored = try await Program.run(["restore", fixture.path, "--trust", "--data", data])
        #expect(restored.status == 0 && restored.output.contains("no differences"), "\(restored.errors)")
        let status = try await Program.run(["migrate", "--status", "--data", data])
        #expect(status.status == 0 && !status.output.contains("pending"), "\(status.output)")
        try await RunningService(["--data", data]).using { service async throws in
            let client = try await service.admin(in: data)
            for member in expected["results"]?.members ?? [] {
                let results = try await client.get("/v1/meetings/\(member.name)/results").expect(200)
                #expect(results.json.map { Self.has($0, member.value) } == true, "\(member.name): \(results.text)")
            }
            #expect(expected["results"]?.members?.count == 4)
            let code = expected["code"]?.string ?? ""
            let submission = try await service.client.get(
                "/v1/forms/\(code)/submissions/\(expected["submission"]?.string ?? "")",
                headers: ["Authorization": "Receipt \(expected["receipt"]?.string ?? "")"])
            #expect(submission.status == 200 && submission.text.contains("Text 0"), "\(submission.text)")
            let another = try await service.client.post(
                "/v1/forms/\(code)/submissions", json: #"{"answers": {"pace": 1, "better": "Later"}}"#)
            #expect(another.status == 201, "\(another.text)")
        }
    }

    /// Whether a value has all members of another with the same values. Later versions may have added members.
    private static func has(_ value: JSONValue, _ expected: JSONValue) -> Bool {
        switch (value, expected) {
        case (.object, .object(let members)):
            members.allSatisfy { member in value[member.name].map { has($0, member.value) } ?? false }
        case (.array(let elements), .array(let others)):
            elements.count == others.count && zip(elements, others).allSatisfy(has)
        default: value == expected
        }
    }
}
