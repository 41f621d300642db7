import HTTPTypes
import NIOCore

/// The head of a plain request, as it was read from the connection's bytes.
///
/// A plain request is a GET or HEAD without a body, or a POST with a short one of known length, over HTTP/1.1. Its path
/// has no query and nothing to decode, no field occurs twice, and all values are ASCII. So the engine is not needed for
/// any field.
public struct PlainHead: Sendable {
    public enum Method: String, Sendable {
        case get = "GET"
        case head = "HEAD"
        case post = "POST"
    }

    /// The positions of a field, counted from the start of the head.
    struct Field {
        var name: Range<Int>
        var value: Range<Int>
    }

    /// The size of the longest body. A longer one would occupy the event loop for too long.
    static let longestBody = 16 * 1024
    /// The length of the longest path. Paths are matched with routes on the event loop.
    static let longestPath = 1024

    public let method: Method
    public let path: String
    /// Whether the client wants no further response on this connection.
    var closesConnection: Bool { closes ?? true }
    private let bytes: ByteBuffer
    private let fields: [Field]

    init(method: Method, path: String, bytes: ByteBuffer, fields: [Field]) {
        self.method = method
        self.path = path
        self.bytes = bytes
        self.fields = fields
    }

    /// The value of a field; nil if there is none.
    ///
    /// - Parameter name: In lower case.
    public func value(_ name: String) -> String? {
        fields.first { isNamed($0, name) }.map { text($0.value) }
    }

    /// The request as the engine would pass it on, with the `Host` as its authority.
    var request: HTTPRequest {
        var (headers, authority) = (HTTPFields(), String?.none)
        headers.reserveCapacity(fields.count)
        for field in fields {
            if isNamed(field, "host") {
                authority = text(field.value)
            } else if let name = HTTPField.Name(text(field.name)) {
                headers.append(HTTPField(name: name, value: text(field.value)))
            }
        }
        let method: HTTPRequest.Method =
            switch self.method {
            case .get: .get
            case .head: .head
            case .post: .post
            }
        return HTTPRequest(
            method: method, scheme: "http", authority: authority, path: path, headerFields: headers)
    }

    /// Whether the connection is to be closed after the response; nil if `Connection` occurs twice, or has any other
    /// value than `keep-alive` or `close`.
    var closes: Bool? {
        guard fieldCount(named: "connection") <= 1 else { return nil }
        return switch value("connection")?.lowercased() {
        case nil, "keep-alive": false
        case "close": true
        default: nil
        }
    }

    func hasField(named name: String) -> Bool { fields.contains { isNamed($0, name) } }

    func fieldCount(named name: String) -> Int { fields.count { isNamed($0, name) } }

    /// Whether two fields have the same name.
    var repeatsField: Bool {
        // Names are compared in place, because making strings of them would cost more than all else.
        bytes.withUnsafeReadableBytes { bytes in
            for (index, field) in fields.enumerated() {
                for other in fields[..<index] where other.name.count == field.name.count {
                    if zip(bytes[other.name], bytes[field.name]).allSatisfy({ $0 | 0x20 == $1 | 0x20 }) { return true }
                }
            }
            return false
        }
    }

    private func isNamed(_ field: Field, _ name: String) -> Bool {
        guard field.name.count == name.utf8.count else { return false }
        // In place, as in `repeatsField`.
        return bytes.withUnsafeReadableBytes { bytes in
            zip(bytes[field.name], name.utf8).allSatisfy { Self.lowercase($0) == $1 }
        }
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }

    private func text(_ range: Range<Int>) -> String {
        bytes.getString(at: bytes.readerIndex + range.lowerBound, length: range.count) ?? ""
    }
}
