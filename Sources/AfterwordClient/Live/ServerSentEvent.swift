/// A server-sent event (WHATWG HTML, section 9.2).
struct ServerSentEvent: Sendable, Equatable {
    var type: String
    var data: String
    /// The last id that the stream sent, in this event or an earlier one.
    var id: String
}

/// An incremental parser for event streams.
struct ServerSentEventParser {
    /// The largest accepted event, in bytes. The service sends no larger ones.
    static let largestEvent = 16 << 20

    /// The value of `Last-Event-ID` for the next connection.
    private(set) var lastID = ""
    /// The delay that the service requests before a reconnection.
    private(set) var retry: Duration?

    private var line: [UInt8] = []
    private var isAfterCR = false
    private var isFirstLine = true
    private var type = ""
    private var data: [UInt8] = []
    private var hasData = false
    private var pendingID: String?

    /// Parses the next bytes and returns the events that they complete.
    mutating func read(_ bytes: [UInt8]) throws -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        for byte in bytes {
            let wasAfterCR = isAfterCR
            isAfterCR = byte == UInt8(ascii: "\r")
            if byte == UInt8(ascii: "\n"), wasAfterCR { continue }
            if byte == UInt8(ascii: "\n") || isAfterCR {
                if let event = endLine() { events.append(event) }
                continue
            }
            line.append(byte)
            guard line.count + data.count <= Self.largestEvent else {
                throw AfterwordError.unexpected(status: nil, "An event has more than \(Self.largestEvent) bytes.")
            }
        }
        return events
    }

    /// Discards a partial event. Keeps the id and the delay.
    mutating func reconnect() {
        let (id, pause) = (lastID, retry)
        self = ServerSentEventParser()
        (lastID, retry) = (id, pause)
    }

    private mutating func endLine() -> ServerSentEvent? {
        var bytes = line[...]
        if isFirstLine, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
        isFirstLine = false
        let event = bytes.isEmpty ? endEvent() : nil
        if !bytes.isEmpty { read(field: bytes) }
        line.removeAll(keepingCapacity: true)
        return event
    }

    private mutating func read(field line: ArraySlice<UInt8>) {
        let name = line.prefix { $0 != UInt8(ascii: ":") }
        // An empty name marks a comment.
        if name.isEmpty { return }
        var value = line.dropFirst(name.count + 1)
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        switch String(decoding: name, as: UTF8.self) {
        case "event": type = String(decoding: value, as: UTF8.self)
        case "data":
            if hasData { data.append(UInt8(ascii: "\n")) }
            hasData = true
            data += value
        case "id" where !value.contains(0): pendingID = String(decoding: value, as: UTF8.self)
        case "retry" where !value.isEmpty && value.allSatisfy({ (0x30...0x39).contains($0) }):
            retry = Int(String(decoding: value, as: UTF8.self)).map { .milliseconds($0) } ?? retry
        default: break
        }
    }

    private mutating func endEvent() -> ServerSentEvent? {
        defer {
            type = ""
            data = []
            hasData = false
        }
        if let pendingID { lastID = pendingID }
        pendingID = nil
        guard hasData else { return nil }
        return ServerSentEvent(
            type: type.isEmpty ? "message" : type, data: String(decoding: data, as: UTF8.self), id: lastID)
    }
}
