import Foundation
import Mail

/// A sendmail of one test, in a folder of its own.
final class FakeSendmail: Sendable {
    struct Failure: Error {}

    private let folder: String

    /// - Parameter script: what `/bin/sh` does, in the folder.
    init(_ script: String) throws {
        var template = Array("/tmp/aw-mail-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure() }
        folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        try Data("#!/bin/sh\ncd \(folder)\n\(script)\n".utf8).write(to: URL(filePath: folder + "/sendmail"))
        chmod(folder + "/sendmail", 0o755)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Keeps each mail in the file `mails`, with the arguments before it.
    static let keeping = "{ echo \"$@\"; cat; echo ====; } >> mails"

    func carrier(limit: Duration = .seconds(20)) -> Sendmail {
        Sendmail(path: folder + "/sendmail", environment: ["PATH": "/usr/bin:/bin"], limit: limit)
    }

    func read(_ name: String) -> String { (try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)) ?? "" }

    func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: "\(folder)/\(name)") }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(name)"))
    }

    /// The mails that were kept.
    var mails: [String] {
        read("mails").split(separator: "\n====\n").map(String.init)
    }
}
