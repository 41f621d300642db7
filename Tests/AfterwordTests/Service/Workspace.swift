import Foundation
import Store
import StrictJSON
import TestSupport

/// A migrated database, a data folder and a host, for imports and exports by command.
struct Workspace {
    static let email = "hanna@example.org"
    static let password = "a long password"

    let database: TestDatabase
    let folder: TemporaryFolder

    var options: [String] { ["--data", folder / "data"] }
    var environment: [String: String] { ["AFTERWORD_DATABASE_URL": database.url] }

    static func using(_ body: (Workspace) async throws -> Void) async throws {
        let workspace = Workspace(database: try await TestStore.database(), folder: try TemporaryFolder())
        let created = try await workspace.run(
            ["account", "create", "--email", email, "--name", "Hanna", "--role", "admin", "--password-stdin"],
            input: password + "\n")
        guard created.status == 0 else { throw TestStore.Missing("a host: \(created.errors)") }
        try await body(workspace)
        try await workspace.database.drop()
    }

    func run(_ arguments: [String], input: String = "") async throws -> Program.Outcome {
        try await Program.run(arguments + options, environment: environment, input: input)
    }

    /// Runs a line of bash in which `afterword` runs the program on this data folder.
    func shell(_ line: String) async throws -> Program.Outcome {
        let name = "afterword() { '\(Program.path)' \"$@\" --data '\(folder / "data")'; }\n"
        return try await Program.run(["-c", name + line], environment: environment, program: "/bin/bash")
    }

    /// Imports a file, such as a fixture of `ImportsTests`.
    func importFile(_ file: String, map: String, _ more: String...) async throws -> Program.Outcome {
        try await run(["import", file, "--map", map, "--host-email", Self.email] + more)
    }

    static func fixture(_ name: String) -> String {
        Repository.url("Tests/ImportsTests/Fixtures/\(name)").path
    }

    /// Imports the 396 real ratings of the fixture.
    func importRatings() async throws {
        let outcome = try await importFile(
            Self.fixture("lecture_ratings.csv"), map: Self.fixture("lecture_ratings.map.json"))
        guard outcome.status == 0 else { throw TestStore.Missing("the ratings: \(outcome.errors)") }
    }
}
