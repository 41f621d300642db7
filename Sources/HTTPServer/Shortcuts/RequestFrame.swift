import NIOCore

/// Where the first request in some bytes ends, and its head if the request is plain.
///
/// Only heads that the engine's parser (llhttp) reads in the same way are recognized: HTTP/1.1, lines that end with
/// CRLF, field names that are tokens, one `Content-Length` at most, and no other framing.
struct RequestFrame {
    enum Reading {
        /// The head is not complete yet.
        case incomplete
        case request(RequestFrame)
        /// Only the engine can find the end of the request.
        case unknown
    }

    /// The size of the longest head that is read here. The engine's limits apply to longer ones.
    static let longestHead = 16 * 1024
    /// The largest number of fields, for the engine too.
    static let maxFields = 100

    let headLength: Int
    let bodyLength: Int
    /// Nil if only the engine can handle the request.
    let plain: PlainHead?

    var length: Int { headLength + bodyLength }

    /// Reads the head at the start of the bytes.
    static func read(_ bytes: ByteBuffer) -> Reading {
        // Reads the bytes in place: `getBytes` would copy each of them.
        bytes.withUnsafeReadableBytes { buffer in
            var reader = HeadReader(UnsafeRawBufferPointer(rebasing: buffer.prefix(longestHead)))
            switch reader.read() {
            case .incomplete: return buffer.count < longestHead ? .incomplete : .unknown
            case .malformed: return .unknown
            case .complete: return reader.frame(in: bytes)
            }
        }
    }
}

/// Reads the lines of a head and collects the positions of its fields.
private struct HeadReader {
    enum End {
        case incomplete, malformed, complete
    }

    private static let space = UInt8(ascii: " ")
    /// Methods whose requests are framed in the same way as plain requests.
    private static let otherMethods: Set = ["PUT", "PATCH", "DELETE", "OPTIONS"]
    /// Fields that may change where the request ends.
    private static let framing = ["transfer-encoding", "upgrade", "proxy-connection", "trailer"]
    /// Fields that only the engine and the ordinary path handle.
    private static let notPlain = ["expect", "content-encoding", "te"]

    private let bytes: UnsafeRawBufferPointer
    private var position = 0
    private var method: PlainHead.Method?
    private var path = 0..<0
    private var isPlain = true
    /// The number of `Host` fields.
    private var hosts = 0
    private var fields: [PlainHead.Field] = []

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        fields.reserveCapacity(12)
    }

    mutating func read() -> End {
        switch readRequestLine() {
        case .complete: break
        case let end: return end
        }
        while true {
            guard position < bytes.count else { return .incomplete }
            if bytes[position] == UInt8(ascii: "\r") { return readLineEnd() }
            switch readField() {
            case .complete: break
            case let end: return end
            }
        }
    }

    private mutating func readLineEnd() -> End {
        guard position < bytes.count else { return .incomplete }
        guard bytes[position] == UInt8(ascii: "\r") else { return .malformed }
        guard position + 1 < bytes.count else { return .incomplete }
        guard bytes[position + 1] == UInt8(ascii: "\n") else { return .malformed }
        position += 2
        return .complete
    }

    private mutating func readRequestLine() -> End {
        let start = position
        skip { $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") }
        guard position < bytes.count else { return .incomplete }
        let name = text(start..<position)
        method = PlainHead.Method(rawValue: name)
        guard bytes[position] == Self.space, method != nil || Self.otherMethods.contains(name) else {
            return .malformed
        }
        position += 1
        let targetStart = position
        skip { $0 > Self.space && $0 < 0x7f }
        guard position < bytes.count else { return .incomplete }
        guard bytes[position] == Self.space, position > targetStart else { return .malformed }
        path = targetStart..<position
        isPlain =
            bytes[targetStart] == UInt8(ascii: "/") && path.count <= PlainHead.longestPath
            && bytes[path].allSatisfy { ByteTable.path[Int($0)] }
        position += 1
        for byte in "HTTP/1.1".utf8 {
            guard position < bytes.count else { return .incomplete }
            guard bytes[position] == byte else { return .malformed }
            position += 1
        }
        return readLineEnd()
    }

    private mutating func readField() -> End {
        guard fields.count < RequestFrame.maxFields else { return .malformed }
        let nameStart = position
        skip { ByteTable.token[Int($0)] }
        guard position < bytes.count else { return .incomplete }
        guard bytes[position] == UInt8(ascii: ":"), position > nameStart else { return .malformed }
        let nameEnd = position
        position += 1
        skip { $0 == Self.space || $0 == UInt8(ascii: "\t") }
        let valueStart = position
        skip { $0 >= Self.space && $0 < 0x7f || $0 == UInt8(ascii: "\t") }
        if position < bytes.count, bytes[position] > 0x7f {
            isPlain = false
            skip { $0 >= Self.space && $0 != 0x7f || $0 == UInt8(ascii: "\t") }
        }
        // The engine decides whether trailing space belongs to the value.
        if position > valueStart, [Self.space, UInt8(ascii: "\t")].contains(bytes[position - 1]) { isPlain = false }
        if isHost(nameStart..<nameEnd) {
            hosts += 1
            if !HostField.isValid(bytes[valueStart..<position]) { isPlain = false }
        }
        fields.append(PlainHead.Field(name: nameStart..<nameEnd, value: valueStart..<position))
        return readLineEnd()
    }

    private func isHost(_ name: Range<Int>) -> Bool {
        // Setting this bit ignores the case. No other byte becomes one of these letters.
        name.count == 4 && zip(bytes[name], "host".utf8).allSatisfy { $0 | 0x20 == $1 }
    }

    private mutating func skip(while isPart: (UInt8) -> Bool) {
        while position < bytes.count, isPart(bytes[position]) { position += 1 }
    }

    private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// The frame of the head that was read.
    func frame(in buffer: ByteBuffer) -> RequestFrame.Reading {
        guard let bytes = buffer.getSlice(at: buffer.readerIndex, length: position) else { return .unknown }
        // The fields of a request with another method are read too, for its length.
        let head = PlainHead(method: method ?? .get, path: text(path), bytes: bytes, fields: fields)
        guard !Self.framing.contains(where: head.hasField(named:)), let closes = head.closes else { return .unknown }
        var length = 0
        if let value = head.value("content-length") {
            guard head.fieldCount(named: "content-length") == 1, (1...9).contains(value.utf8.count),
                value.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let parsed = Int(value)
            else { return .unknown }
            length = parsed
        }
        let isPlain =
            isPlain && method != nil && !Self.notPlain.contains(where: head.hasField(named:)) && !head.repeatsField
            && hosts == 1 && length <= PlainHead.longestBody
            && (method == .post ? length > 0 && !closes : !head.hasField(named: "content-length"))
        // Nothing follows the last request, so its end need not be known.
        guard isPlain || !closes else { return .unknown }
        return .request(RequestFrame(headLength: position, bodyLength: length, plain: isPlain ? head : nil))
    }
}
