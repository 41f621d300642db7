import Foundation

extension ExportDownload {
    /// Writes the table to a file, which is there whole or not at all: it is written beside and renamed over.
    ///
    /// What the file system refuses is a `CocoaError`.
    @discardableResult
    public func save(to path: String) async throws -> Receipt {
        let part = "\(path).\(UUID().uuidString.prefix(8)).part"
        // Readable by nobody else until its owner says so.
        guard FileManager.default.createFile(atPath: part, contents: nil, attributes: [.posixPermissions: 0o600]),
            let file = FileHandle(forWritingAtPath: part)
        else {
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
            let isThere = FileManager.default.fileExists(atPath: folder)
            throw CocoaError(
                isThere ? .fileWriteNoPermission : .fileNoSuchFile,
                userInfo: [NSFilePathErrorKey: isThere ? part : folder])
        }
        do {
            let receipt = try await read { try file.write(contentsOf: Data($0)) }
            try file.synchronize()
            try file.close()
            guard rename(part, path) == 0 else {
                throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: path])
            }
            return receipt
        } catch {
            try? file.close()
            try? FileManager.default.removeItem(atPath: part)
            throw error
        }
    }
}
