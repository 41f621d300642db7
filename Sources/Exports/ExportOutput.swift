import Cryptography

/// The bytes of an export on their way out, with what its receipt says of them.
struct ExportOutput {
    private var writer: TableWriter
    private var buffer: [UInt8] = []
    private var hash = SHA256()
    private var written = 0

    init(writer: TableWriter) {
        self.writer = writer
        buffer.reserveCapacity(Export.chunk * 2)
    }

    var receipt: Export.Receipt { Export.Receipt(rows: writer.rows, digest: hash.finish(), bytes: written) }

    mutating func header() {
        writer.header(into: &buffer)
    }

    mutating func rows(_ rows: [[Cell]]) {
        for row in rows { writer.row(row, into: &buffer) }
    }

    mutating func flushIfFull(
        isolation: isolated (any Actor)? = #isolation, _ sink: ([UInt8]) async throws -> Void
    ) async throws {
        if buffer.count >= Export.chunk { try await flush(sink) }
    }

    mutating func flush(
        isolation: isolated (any Actor)? = #isolation, _ sink: ([UInt8]) async throws -> Void
    ) async throws {
        guard !buffer.isEmpty else { return }
        hash.update(buffer)
        written += buffer.count
        try await sink(buffer)
        buffer.removeAll(keepingCapacity: true)
    }
}
