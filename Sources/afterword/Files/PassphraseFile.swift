import Foundation

/// A file that contains a passphrase.
enum PassphraseFile {
    /// The minimum length in bytes.
    private static let minLength = 10
    private static let maxLength = 1024

    /// Reads the passphrase without its last line break.
    static func read(_ path: String) throws(Failure) -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw .misuse("The passphrase file \(path) cannot be read: choose another with --passphrase-file.")
        }
        var bytes = Array(data)
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard (minLength...maxLength).contains(bytes.count) else {
            throw .misuse("The passphrase in \(path) must have \(minLength) to \(maxLength) bytes.")
        }
        return bytes
    }
}
