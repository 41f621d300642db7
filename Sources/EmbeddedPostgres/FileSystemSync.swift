import Foundation

/// Flushes the file system that contains a folder.
///
/// A cluster has about a thousand files. `run` flushes all of them with one commit of the file system's journal,
/// whereas `initdb --sync-only` and, by default, PostgreSQL's recovery flush them one by one. PostgreSQL 17 offers the
/// same as `--sync-method=syncfs`.
enum FileSystemSync {
    private static let program = "/usr/bin/sync"

    /// Returns false if the system cannot flush reliably, or if the flush failed.
    static func run(_ path: String) async -> Bool {
        guard isReliable else { return false }
        return await Command(path: program, arguments: ["--file-system", path]).run()?.succeeded == true
    }

    /// Whether the system can flush one file system and reports failures.
    static var isReliable: Bool {
        #if os(Linux)
            reportsErrors(kernel: kernel)
        #else
            false
        #endif
    }

    /// Since version 5.8, Linux reports a failed write to the caller of `syncfs`.
    ///
    /// - Parameter kernel: The kernel's release, such as `6.1.0-18-amd64`.
    static func reportsErrors(kernel: String) -> Bool {
        let numbers = kernel.split(separator: ".", maxSplits: 2).map { Int($0.prefix { $0.isNumber }) ?? 0 }
        guard numbers.count > 1 else { return false }
        return (numbers[0], numbers[1]) >= (5, 8)
    }

    private static var kernel: String {
        var name = utsname()
        guard uname(&name) == 0 else { return "" }
        return withUnsafeBytes(of: name.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
