import Foundation
import TestSupport
import Testing

/// Only `serve`, `demo`, `migrate` and `restore` create a data folder. Any other command on a path without one is a
/// mistake, which a nightly job must notice.
@Suite struct MissingDataFolders {
    /// Commands that need existing data.
    private static let commands: [[String]] = [
        ["account", "list"], ["account", "list", "--json"], ["series", "list"],
        ["account", "create", "--email", "a@example.org", "--name", "A", "--role", "host", "--password-stdin"],
        ["account", "disable", "--email", "a@example.org"],
        ["account", "reset-password", "--email", "a@example.org", "--password-stdin"],
        ["export", "summary", "--all"], ["export", "meetings", "--all", "--output", "OUT/file.csv"],
        ["export", "charts", "--all", "--output", "OUT/charts"],
        [
            "import", Workspace.fixture("lecture_ratings.csv"), "--map", Workspace.fixture("lecture_ratings.map.json"),
            "--host-email", "a@example.org", "--report", "OUT/report.csv",
        ],
        ["verify"], ["verify", "--json"], ["verify", "--repair"], ["migrate", "--status"], ["doctor"],
        ["keys", "list"], ["keys", "rotate"], ["keys", "rotate", "--dry-run"], ["upgrade"],
    ]

    enum Mistake: CaseIterable {
        case missing, missingWithItsParents, empty, withASecretAlone, aFile, withAFileForItsDatabase
        case inaccessible

        /// Creates the invalid data folder inside `folder` and returns its path.
        fileprivate func make(in folder: TemporaryFolder) throws -> String {
            let path = folder / "data"
            func makeFolder(_ path: String, mode: Int = 0o755) throws {
                try FileManager.default.createDirectory(
                    atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: mode])
            }
            switch self {
            case .missing: return path
            case .missingWithItsParents: return path + "/a/b"
            case .empty: try makeFolder(path)
            case .withASecretAlone:
                try makeFolder(path)
                try Data("1 secret\n".utf8).write(to: URL(fileURLWithPath: path + "/secret"))
            case .aFile: try Data("a file\n".utf8).write(to: URL(fileURLWithPath: path))
            case .withAFileForItsDatabase:
                try makeFolder(path)
                try Data("a file\n".utf8).write(to: URL(fileURLWithPath: path + "/postgres"))
            case .inaccessible: try makeFolder(path, mode: 0)
            }
            return path
        }

        fileprivate func sentence(_ path: String) -> String {
            let advice = "start `afterword serve --data \(path)` first, or correct --data."
            return switch self {
            case .missing, .missingWithItsParents: "There is no data folder at \(path): \(advice)"
            case .empty, .withASecretAlone: "The data folder \(path) holds no database: \(advice)"
            case .aFile:
                "The data folder \(path) cannot be used (it is not a folder): fix its permissions, free some disk space, or"
                    + " choose another with --data."
            case .withAFileForItsDatabase:
                "The folder \(path)/postgres is not empty and holds no PostgreSQL cluster: move it away or choose another"
                    + " data folder with --data."
            case .inaccessible:
                "The data folder \(path) cannot be used (Permission denied): fix its permissions, free some disk space, or"
                    + " choose another with --data."
            }
        }
    }

    @Test(arguments: Mistake.allCases)
    func everyCommandReportsTheMistakeAndCreatesNothing(mistake: Mistake) async throws {
        for command in Self.commands {
            let folder = try TemporaryFolder()
            let path = try mistake.make(in: folder)
            let before = Self.tree(folder)
            let arguments = command.map { $0.replacing("OUT", with: folder.path) } + ["--data", path]
            let outcome = try await Self.run(arguments, withoutAccess: mistake == .inaccessible, in: folder)
            let name = "\(command.joined(separator: " ")): \(outcome.errors)\(outcome.output)"
            #expect(outcome.status == 1, "\(name)")
            if command == ["doctor"] {
                #expect(
                    outcome.output.split(separator: "\n").contains {
                        $0.hasPrefix("wrong ") && $0.contains(" database ") && $0.hasSuffix(mistake.sentence(path))
                    }, "\(name)")
            } else {
                #expect(outcome.errors == mistake.sentence(path) + "\n", "\(name)")
                #expect(outcome.output == "", "\(name)")
            }
            #expect(Self.tree(folder) == before, "\(name)")
        }
    }

    @Test func messageNamesTheAbsolutePath() async throws {
        let folder = try TemporaryFolder()
        let script = "cd '\(folder.path)' && exec '\(Program.path)' verify"
        for (data, path) in [(" --data ./typo", "/typo"), (" --data a/../typo/", "/typo"), ("", "/.afterword")]
        where !data.isEmpty || getuid() != 0 {
            let outcome = try await Program.run(["-c", script + data], program: "/bin/sh")
            #expect(outcome.status == 1)
            let real = URL(fileURLWithPath: folder.path).resolvingSymlinksInPath().path
            #expect(outcome.errors.hasPrefix("There is no data folder at \(real)\(path): "), "\(outcome.errors)")
        }
        #expect(Self.tree(folder) == [])
    }

    @Test func migrateCreatesTheFolderForOtherCommands() async throws {
        let folder = try TemporaryFolder()
        let data = folder / "data"
        #expect(try await Program.run(["account", "list", "--data", data]).status == 1)
        let migrated = try await Program.run(["migrate", "--data", data])
        #expect(migrated.status == 0, "\(migrated.errors)")
        let status = try await Program.run(["migrate", "--status", "--data", data])
        #expect(status.status == 0 && !status.output.contains("pending"), "\(status.errors)")
        let listed = try await Program.run(["account", "list", "--json", "--data", data])
        #expect(listed.status == 0 && listed.output == "{\"items\":[]}\n", "\(listed.errors)")
    }

    /// Runs the program. Root has access to every folder, so under root `withoutAccess` runs a copy as another user.
    private static func run(
        _ arguments: [String], withoutAccess: Bool, in folder: TemporaryFolder
    ) async throws -> Program.Outcome {
        let input = "a long password\n"
        guard withoutAccess, getuid() == 0 else { return try await Program.run(arguments, input: input) }
        let copy = try TemporaryFolder()
        let script = """
            cp '\(Program.path)' '\(copy / "copy")' && chmod 777 '\(folder.path)' && LLVM_PROFILE_FILE=/dev/null \
            exec /usr/bin/setpriv --reuid=65534 --regid=65534 --clear-groups -- '\(copy / "copy")' "$@"
            """
        return try await Program.run(["-c", script, "sh"] + arguments, input: input, program: "/bin/sh")
    }

    private static func tree(_ folder: TemporaryFolder) -> [String] {
        (FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? []).sorted()
    }
}
