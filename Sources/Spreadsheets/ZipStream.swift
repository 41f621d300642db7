/// A ZIP archive (APPNOTE 6.3.10) that is written strictly forwards.
///
/// Sizes and checksums follow each entry (bit 3), so nothing is buffered. Entries have a fixed date, so that the same
/// content produces the same bytes.
struct ZipStream {
    private struct Entry {
        var name: [UInt8]
        var offset: UInt64
        var checksum: UInt32 = 0
        var compressedSize: UInt64 = 0
        var uncompressedSize: UInt64 = 0
    }

    /// The general-purpose flag that says that sizes and checksums follow the data.
    private static let streamed: UInt16 = 0x0008
    /// The compression method.
    private static let deflated: UInt16 = 8
    /// 1980-01-01 00:00, the earliest date of the format.
    private static let date: UInt32 = 0x0021_0000

    /// Bytes that were written and not yet drained.
    private(set) var bytes: [UInt8] = []
    /// The number of bytes that were drained.
    private var drainedCount: UInt64 = 0
    private var entries: [Entry] = []
    private let deflater = Deflater()
    /// Offsets and sizes from this value on use ZIP64 fields. Smaller ones use the classic fields, which more readers
    /// support.
    private let wideThreshold: UInt64

    init(wideFrom wideThreshold: UInt64 = UInt64(UInt32.max)) {
        self.wideThreshold = wideThreshold
    }

    private var position: UInt64 { drainedCount + UInt64(bytes.count) }

    /// Begins an entry with its local file header (4.3.7): signature, version, flags, method, time and date, zeros for
    /// the checksum and the sizes, lengths of the name and of the extra field, name.
    mutating func begin(_ name: String) {
        let entry = Entry(name: Array(name.utf8), offset: position)
        bytes.append(little: 0x0403_4B50 as UInt32)
        bytes.append(little: 20 as UInt16)
        bytes.append(little: Self.streamed)
        bytes.append(little: Self.deflated)
        bytes.append(little: Self.date)
        bytes.append(contentsOf: repeatElement(0, count: 12))
        bytes.append(little: UInt16(entry.name.count))
        bytes.append(little: 0 as UInt16)
        bytes += entry.name
        entries.append(entry)
    }

    /// Appends to the current entry, which the caller keeps below 4 GiB.
    mutating func append(_ content: [UInt8], isLast: Bool = false) {
        let start = position
        content.withUnsafeBufferPointer { content in
            entries[entries.count - 1].checksum = Deflater.checksum(content, after: entries[entries.count - 1].checksum)
            deflater.deflate(content, isLast: isLast, into: &bytes)
        }
        entries[entries.count - 1].uncompressedSize += UInt64(content.count)
        entries[entries.count - 1].compressedSize += position - start
    }

    /// Ends the entry with its data descriptor (4.3.9): signature, checksum, compressed and uncompressed size.
    mutating func end() {
        append([], isLast: true)
        let entry = entries[entries.count - 1]
        bytes.append(little: 0x0807_4B50 as UInt32)
        bytes.append(little: entry.checksum)
        bytes.append(little: UInt32(truncatingIfNeeded: entry.compressedSize))
        bytes.append(little: UInt32(truncatingIfNeeded: entry.uncompressedSize))
    }

    mutating func add(_ name: String, _ content: [UInt8]) {
        begin(name)
        append(content)
        end()
    }

    /// Writes the central directory, which completes the archive.
    ///
    /// It ends with a record (4.3.16) of the signature, two disk numbers, the number of entries on this disk and in
    /// total, the directory's size and offset, and the length of a comment.
    mutating func finish() {
        let start = position
        for entry in entries { appendDirectory(entry) }
        let size = position - start
        let isWide = start >= wideThreshold || size >= wideThreshold
        if isWide { appendWideEnd(start: start, size: size) }
        bytes.append(little: 0x0605_4B50 as UInt32)
        bytes.append(little: 0 as UInt32)
        bytes.append(little: UInt16(entries.count))
        bytes.append(little: UInt16(entries.count))
        bytes.append(little: isWide ? UInt32.max : UInt32(size))
        bytes.append(little: isWide ? UInt32.max : UInt32(start))
        bytes.append(little: 0 as UInt16)
    }

    /// Appends a file header of the directory (4.3.12): signature, versions made by and needed, flags, method, time and
    /// date, checksum, sizes, lengths of the name and of the extra field, zeros for the comment's length, the disk and
    /// the attributes, offset, name. A wide offset is in the extra field (4.5.3).
    private mutating func appendDirectory(_ entry: Entry) {
        let isWide = entry.offset >= wideThreshold
        bytes.append(little: 0x0201_4B50 as UInt32)
        bytes.append(little: 45 as UInt16)
        bytes.append(little: isWide ? 45 : 20 as UInt16)
        bytes.append(little: Self.streamed)
        bytes.append(little: Self.deflated)
        bytes.append(little: Self.date)
        bytes.append(little: entry.checksum)
        bytes.append(little: UInt32(truncatingIfNeeded: entry.compressedSize))
        bytes.append(little: UInt32(truncatingIfNeeded: entry.uncompressedSize))
        bytes.append(little: UInt16(entry.name.count))
        bytes.append(little: isWide ? 12 : 0 as UInt16)
        bytes.append(contentsOf: repeatElement(0, count: 10))
        bytes.append(little: isWide ? UInt32.max : UInt32(entry.offset))
        bytes += entry.name
        if isWide {
            bytes.append(little: 0x0001 as UInt16)
            bytes.append(little: 8 as UInt16)
            bytes.append(little: entry.offset)
        }
    }

    /// Appends the ZIP64 end of the directory (4.3.14): signature, remaining size, versions, disk numbers, the number
    /// of entries on this disk and in total, the directory's size and offset. Its locator follows (4.3.15): signature,
    /// disk number, offset of the record, number of disks.
    private mutating func appendWideEnd(start: UInt64, size: UInt64) {
        let end = position
        bytes.append(little: 0x0606_4B50 as UInt32)
        bytes.append(little: 44 as UInt64)
        bytes.append(little: 45 as UInt16)
        bytes.append(little: 45 as UInt16)
        bytes.append(contentsOf: repeatElement(0, count: 8))
        bytes.append(little: UInt64(entries.count))
        bytes.append(little: UInt64(entries.count))
        bytes.append(little: size)
        bytes.append(little: start)
        bytes.append(little: 0x0706_4B50 as UInt32)
        bytes.append(little: 0 as UInt32)
        bytes.append(little: end)
        bytes.append(little: 1 as UInt32)
    }

    /// Moves the written bytes to the end of another buffer.
    mutating func drain(into other: inout [UInt8]) {
        drainedCount += UInt64(bytes.count)
        other += bytes
        bytes.removeAll(keepingCapacity: true)
    }
}

extension [UInt8] {
    fileprivate mutating func append(little value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }
}
