import Cryptography
import Domain
import Foundation

/// The id of a request in `X-Request-Id`, in a problem's `instance` and in the log.
public enum RequestID {
    public static func make() -> UUID {
        // Reads all random bytes at once; `UInt64.random` would make a system call for each half.
        UUIDv4.make(RandomBytes.make(16))
    }
}
