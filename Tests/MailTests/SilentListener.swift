import Foundation
import Testing

/// A loopback port whose connections are neither accepted nor answered.
final class SilentListener: Sendable {
    let port: Int
    private let descriptor: Int32

    init() throws {
        #if os(Linux)
            let stream = Int32(SOCK_STREAM.rawValue)
        #else
            let stream = SOCK_STREAM
        #endif
        let descriptor = socket(AF_INET, stream, 0)
        try #require(descriptor >= 0)
        self.descriptor = descriptor
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && listen(descriptor, 8) == 0 && getsockname(descriptor, $0, &size) == 0
            }
        }
        try #require(isBound)
        port = Int(UInt16(bigEndian: address.sin_port))
    }

    func close() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

    deinit { _ = Foundation.close(descriptor) }
}
