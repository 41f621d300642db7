import Domain
import HTTPServer

/// The credentials in an `Authorization` header.
public enum Credentials: Sendable, Equatable {
    case bearer(String)
    case receipt(String)
    case respondent(String)

    private static let longestToken = 1024

    /// Parses the header's value; throws 401 for anything but the three schemes with a `token68`.
    public init(parsing value: String) throws(Problem) {
        let malformed = Problem(.unauthorized, "The Authorization header is malformed.")
        // Before the value is read, because a header field may have kilobytes.
        guard value.utf8.count <= Self.longestToken + 100 else { throw malformed }
        let scheme = value.prefix { $0 != " " }
        let token = value.dropFirst(scheme.count).trimmingSpaces
        guard !token.isEmpty, token.utf8.count <= Self.longestToken, token.utf8.allSatisfy(Self.isToken68) else {
            throw malformed
        }
        switch scheme.lowercased() {
        case "bearer": self = .bearer(String(token))
        case "receipt": self = .receipt(String(token))
        case "respondent": self = .respondent(String(token))
        default: throw Problem(.unauthorized, "The Authorization scheme is not one of Bearer, Receipt and Respondent.")
        }
    }

    /// Whether a `token68` may contain the byte (RFC 9110, section 11.2).
    private static func isToken68(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "+"),
            UInt8(ascii: "/"), UInt8(ascii: "="):
            true
        default: false
        }
    }
}
