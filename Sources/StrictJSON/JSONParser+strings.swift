extension JSONParser {
    /// Parses a string. The index is at its opening quote.
    mutating func parseString() throws(Failure) -> String {
        index += 1
        let start = index
        var combinedBytes: UInt8 = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\"") {
                defer { index += 1 }
                if combinedBytes < 0x80 { return String(decoding: bytes[start..<index], as: UTF8.self) }
                return try decodeText(UnsafeBufferPointer(rebasing: bytes[start..<index]), at: start)
            }
            if byte == UInt8(ascii: "\\") { return try parseEscapedString(from: start) }
            guard byte >= 0x20 else { throw failure("A control character must be escaped") }
            combinedBytes |= byte
            index += 1
        }
        throw failure("The JSON text ends inside a string")
    }

    /// Parses the rest of a string from its first escape on, into a buffer.
    private mutating func parseEscapedString(from start: Int) throws(Failure) -> String {
        var buffer = [UInt8](bytes[start..<index])
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\"") {
                index += 1
                return try decodeText(buffer, at: start)
            }
            guard byte >= 0x20 else { throw failure("A control character must be escaped") }
            index += 1
            if byte == UInt8(ascii: "\\") {
                try parseEscape(into: &buffer)
            } else {
                buffer.append(byte)
            }
        }
        throw failure("The JSON text ends inside a string")
    }

    private mutating func parseEscape(into buffer: inout [UInt8]) throws(Failure) {
        guard index < bytes.count else { throw failure("The JSON text ends inside a string") }
        let byte = bytes[index]
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): buffer.append(byte)
        case UInt8(ascii: "b"): buffer.append(0x08)
        case UInt8(ascii: "f"): buffer.append(0x0C)
        case UInt8(ascii: "n"): buffer.append(0x0A)
        case UInt8(ascii: "r"): buffer.append(0x0D)
        case UInt8(ascii: "t"): buffer.append(0x09)
        case UInt8(ascii: "u"): buffer.append(contentsOf: UTF8.encode(try parseEscapedScalar()).map { Array($0) } ?? [])
        default:
            index -= 1
            throw failure("Unknown escape")
        }
    }

    /// Parses `\uXXXX` or a surrogate pair. A lone surrogate is rejected, because no Unicode text can contain it.
    private mutating func parseEscapedScalar() throws(Failure) -> Unicode.Scalar {
        let start = index
        let unit = try parseHexadecimal()
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard UTF16.isLeadSurrogate(unit), take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
            index = start
            throw failure("A lone surrogate is not a character")
        }
        let trail = try parseHexadecimal()
        let joined = 0x10000 + (UInt32(unit & 0x3FF) << 10) + UInt32(trail & 0x3FF)
        guard UTF16.isTrailSurrogate(trail), let scalar = Unicode.Scalar(joined) else {
            index = start
            throw failure("A lone surrogate is not a character")
        }
        return scalar
    }

    private mutating func parseHexadecimal() throws(Failure) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard index < bytes.count, let digit = Character(Unicode.Scalar(bytes[index])).hexDigitValue,
                bytes[index] < 0x80
            else { throw failure("Four hexadecimal digits were expected") }
            unit = unit << 4 | UInt16(digit)
            index += 1
        }
        return unit
    }

    private func decodeText(_ bytes: some Sequence<UInt8>, at start: Int) throws(Failure) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(code: "invalid-utf8", offset: start, reason: "The text is not UTF-8")
        }
        guard StreamSafeText.isSafe(text) else {
            throw Failure(
                code: "too-many-marks", offset: start,
                reason: "The text has more than \(StreamSafeText.longestRun) combining marks in a row")
        }
        return text
    }
}
