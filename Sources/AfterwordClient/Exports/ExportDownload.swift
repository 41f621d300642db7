import Foundation

/// A table as a stream of bytes, which can be read only once.
///
/// After the last byte, the table is checked against the digest that the service sends. The table is complete only if
/// the loop ends without an error.
public struct ExportDownload: AsyncSequence, Sendable {
    public typealias Element = [UInt8]

    /// The size of a complete download, and whether its digest was checked.
    public struct Summary: Sendable, Equatable {
        public var bytes: Int
        /// The number of rows without the header. Nil if the transport does not support trailers.
        public var rows: Int?
        /// Whether the digest was checked. False if the transport does not support trailers.
        public var isVerified: Bool
    }

    private let response: TransportResponse

    init(_ response: TransportResponse) {
        self.response = response
    }

    /// The media type, such as `text/csv; charset=utf-8; header=present`.
    public var contentType: String { response.headers["content-type"] ?? "" }

    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var chunks: ByteChunks.AsyncIterator
        fileprivate let response: TransportResponse
        private var hash = SHA256()
        private var bytes = 0
        /// Set once the download is complete and, if trailers are supported, checked.
        public private(set) var summary: Summary?

        fileprivate init(_ response: TransportResponse) {
            self.response = response
            chunks = response.body.makeAsyncIterator()
        }

        public mutating func next() async throws -> [UInt8]? {
            guard summary == nil else { return nil }
            do {
                if let chunk = try await chunks.next() {
                    hash.update(chunk)
                    bytes += chunk.count
                    return chunk
                }
            } catch {
                if error is CancellationError || Task.isCancelled { throw CancellationError() }
                if error is AfterwordError { throw error }
                throw AfterwordError.transport(error)
            }
            summary = try verifiedSummary()
            return nil
        }

        private func verifiedSummary() throws -> Summary {
            guard let trailers = response.trailers() else {
                return Summary(bytes: bytes, rows: nil, isVerified: false)
            }
            guard let rows = trailers["afterword-rows"].flatMap({ Int($0) }), let digest = trailers["repr-digest"]
            else {
                throw AfterwordError.incomplete("The table is truncated: the row count and digest are missing.")
            }
            guard digest == "sha-256=:\(Data(hash.digest()).base64EncodedString()):" else {
                throw AfterwordError.incomplete("The table's digest does not match: \(bytes) bytes arrived.")
            }
            return Summary(bytes: bytes, rows: rows, isVerified: true)
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(response) }

    /// Passes each chunk to the closure and returns the summary.
    @discardableResult
    public func read(_ each: ([UInt8]) async throws -> Void) async throws -> Summary {
        var iterator = makeAsyncIterator()
        while let chunk = try await iterator.next() { try await each(chunk) }
        guard let summary = iterator.summary else { throw CancellationError() }
        return summary
    }

    /// Reads the whole table into memory. Throws if it has more than `limit` bytes.
    public func collect(upTo limit: Int = 64 << 20) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        try await read { chunk in
            guard bytes.count + chunk.count <= limit else {
                throw AfterwordError.incomplete("The table has more than \(limit) bytes.")
            }
            bytes += chunk
        }
        return bytes
    }
}

extension ExportDownload {
    /// Writes the table to a file atomically: to a temporary file first, which is then renamed.
    ///
    /// Errors of the file system are thrown as `CocoaError`.
    @discardableResult
    public func save(to path: String) async throws -> Summary {
        let temporaryPath = "\(path).\(UUID().uuidString.prefix(8)).part"
        // Only the owner may read the file.
        guard
            FileManager.default.createFile(
                atPath: temporaryPath, contents: nil, attributes: [.posixPermissions: 0o600]),
            let file = FileHandle(forWritingAtPath: temporaryPath)
        else {
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
            let folderExists = FileManager.default.fileExists(atPath: folder)
            throw CocoaError(
                folderExists ? .fileWriteNoPermission : .fileNoSuchFile,
                userInfo: [NSFilePathErrorKey: folderExists ? temporaryPath : folder])
        }
        do {
            let summary = try await read { try file.write(contentsOf: Data($0)) }
            try file.synchronize()
            try file.close()
            guard rename(temporaryPath, path) == 0 else {
                throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: path])
            }
            return summary
        } catch {
            try? file.close()
            try? FileManager.default.removeItem(atPath: temporaryPath)
            throw error
        }
    }
}
