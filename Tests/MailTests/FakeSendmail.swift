import Foundation
import Mail
import TestSupport

/// A sendmail of one test, in a folder of its own.
final class FakeSendmail: Sendable {
    private let folder: TemporaryFolder

    /// - Parameter script: what `/bin/sh` does, in the folder.
    init(_ script: String) throws {
        folder = try TemporaryFolder()
        chmod(try folder.write("#!/bin/sh\ncd \(folder.path)\n\(script)\n", to: "sendmail"), 0o755)
    }

    /// Keeps each mail in the file `mails`, with the arguments before it.
    static let keeping = "{ echo \"$@\"; cat; echo ====; } >> mails"

    func carrier(limit: Duration = .seconds(20)) -> Sendmail {
        Sendmail(path: folder / "sendmail", environment: ["PATH": "/usr/bin:/bin"], limit: limit)
    }

    func read(_ name: String) -> String { folder.read(name) }

    func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: folder / name) }

    func write(_ text: String, to name: String) throws { _ = try folder.write(text, to: name) }

    /// The mails that were kept.
    var mails: [String] {
        read("mails").split(separator: "\n====\n").map(String.init)
    }
}
