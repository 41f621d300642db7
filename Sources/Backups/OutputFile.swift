import Foundation

/// A new file that only its owner can read.
final class OutputFile {
    private let path: String
    private let handle: FileHandle

    /// Throws if the file exists.
    init(_ path: String) throws(BackupError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw BackupFolder.unusable(path) }
        self.path = path
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    func write(_ bytes: [UInt8]) throws(BackupError) {
        do { try handle.write(contentsOf: Data(bytes)) } catch { throw BackupFolder.unusable(path) }
    }

    /// Syncs the file to disk and closes it.
    func close() throws(BackupError) {
        do {
            try handle.synchronize()
            try handle.close()
        } catch {
            throw BackupFolder.unusable(path)
        }
    }
}
