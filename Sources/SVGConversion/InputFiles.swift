import Foundation

#if canImport(System)
    import System
#else
    import SystemPackage
#endif

/// The files that `rsvg-convert` reads.
enum InputFiles {
    private static let prefix = NSTemporaryDirectory() + "/afterword-picture-"

    /// Returns an unlinked file positioned at its start. A pipe could kill this process with SIGPIPE.
    static func unlinked(containing text: String) throws(SVGConversionError) -> FileDescriptor {
        var template = Array((prefix + "XXXXXX").utf8CString)
        let number = mkstemp(&template)
        guard number >= 0 else { throw .failed("no temporary file can be created") }
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        unlink(template)
        let descriptor = FileDescriptor(rawValue: number)
        do {
            try descriptor.writeAll(text.utf8)
            try descriptor.seek(offset: 0, from: .start)
        } catch {
            try? descriptor.close()
            throw .failed("no temporary file can be written")
        }
        return descriptor
    }

    /// Writes each text to a file in a new folder that only this user can open, and passes the files' paths to `body`.
    /// The folder is removed afterwards.
    static func withFolder<Value>(
        of texts: [String], _ body: (_ paths: [String]) async throws(SVGConversionError) -> Value
    ) async throws(SVGConversionError) -> Value {
        var template = Array((prefix + "XXXXXX").utf8CString)
        guard let pointer = mkdtemp(&template) else { throw .failed("no temporary folder can be created") }
        let folder = String(cString: pointer)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var paths: [String] = []
        for (index, text) in texts.enumerated() {
            let path = "\(folder)/\(index + 1).svg"
            guard FileManager.default.createFile(atPath: path, contents: Data(text.utf8)) else {
                throw .failed("no temporary file can be written")
            }
            paths.append(path)
        }
        return try await body(paths)
    }
}
