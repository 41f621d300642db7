/// Reads numbers from an untrusted file. Out-of-bounds reads throw and never trap.
struct ByteReader {
    let bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
    }

    init(_ bytes: [UInt8]) {
        self.init(bytes[...])
    }

    var count: Int { bytes.count }

    /// The bytes from `offset`, relative to the reader's start.
    func slice(_ offset: Int, _ length: Int) throws(ImageFault) -> ArraySlice<UInt8> {
        guard offset >= 0, length >= 0, offset <= count, length <= count - offset else { throw .notAnImage }
        let start = bytes.startIndex + offset
        return bytes[start..<start + length]
    }

    func byte(_ offset: Int) throws(ImageFault) -> UInt8 {
        guard let byte = try slice(offset, 1).first else { throw .notAnImage }
        return byte
    }

    /// A big-endian number of `length` bytes.
    func bigEndian(_ offset: Int, _ length: Int) throws(ImageFault) -> Int {
        try slice(offset, length).reduce(0) { $0 << 8 | Int($1) }
    }

    /// A little-endian number of `length` bytes.
    func littleEndian(_ offset: Int, _ length: Int) throws(ImageFault) -> Int {
        try slice(offset, length).reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// Whether the bytes from `offset` are those of an ASCII text.
    func has(_ text: String, at offset: Int) -> Bool {
        (try? slice(offset, text.utf8.count))?.elementsEqual(text.utf8) ?? false
    }
}
