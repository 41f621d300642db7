import Cryptography
import Domain
import Foundation

/// The id of a request in `X-Request-Id`, in a problem's `instance` and in the log.
enum RequestID {
    static func make() -> UUID {
        var random = SecureRandom()
        return UUIDv4.make(using: &random)
    }
}
