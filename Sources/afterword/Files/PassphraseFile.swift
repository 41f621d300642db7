import Foundation

/// A file that contains a passphrase.
enum PassphraseFile {
    private static let minBytes = 10
    private static let maxBytes = 1024

    /// Reads the passphrase without its last line break.
    static func read(_ path: String) throws(Failure) -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw .misuse("The passphrase file \(path) cannot be read: choose another with --passphrase-file.")
        }
        var bytes = Array(data)
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard (minBytes...maxBytes).contains(bytes.count) else {
            throw .misuse("The passphrase in \(path) must have \(minBytes) to \(maxBytes) bytes.")
        }
        return bytes
    }
}
