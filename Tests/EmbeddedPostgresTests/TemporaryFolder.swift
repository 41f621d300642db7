import Foundation
import Testing

/// A short folder in `/tmp` that other users may pass through; it goes with this value.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/aw-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        try #require(chmod(path, 0o711) == 0)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}
