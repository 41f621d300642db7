import Foundation
import Mail
import TestSupport

/// A sendmail program for one test, in its own folder.
final class FakeSendmail: Sendable {
    private let folder: TemporaryFolder

    /// - Parameter script: The script that `/bin/sh` runs in the folder.
    init(_ script: String) throws {
        folder = try TemporaryFolder()
        chmod(try folder.write("#!/bin/sh\ncd \(folder.path)\n\(script)\n", to: "sendmail"), 0o755)
    }

    /// A script that appends the arguments and the mail to the file `mails`.
    static let recording = "{ echo \"$@\"; cat; echo ====; } >> mails"

    func transport(timeout: Duration = .seconds(20)) -> Sendmail {
        Sendmail(path: folder / "sendmail", environment: ["PATH": "/usr/bin:/bin"], timeout: timeout)
    }

    func read(_ name: String) -> String { folder.read(name) }

    func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: folder / name) }

    func write(_ text: String, to name: String) throws { _ = try folder.write(text, to: name) }

    /// The mails that were appended.
    var mails: [String] {
        read("mails").split(separator: "\n====\n").map(String.init)
    }
}
