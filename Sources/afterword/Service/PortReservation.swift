import Foundation
import HTTPServer
import Synchronization

/// Reserves a port until the service listens on it. An unusable port is therefore reported before a database is
/// created. If any free port is wanted, links and QR codes contain the right port from the first response on.
///
/// The socket is bound but does not listen. The kernel does not assign its port to other sockets, but the service can
/// bind the port explicitly, with `SO_REUSEADDR`. The reservation fails if another process listens on the port.
final class PortReservation: Sendable {
    let port: Int
    private let socket: Mutex<Int32?>

    /// Throws the errors that listening would throw. Returns nil if the reservation fails for another reason.
    ///
    /// - Parameter port: 0 for any free port.
    init?(host: String, port: Int = 0) throws(ListenFailure) {
        var hints = addrinfo()
        hints.ai_socktype = Self.stream
        hints.ai_flags = AI_PASSIVE
        var addresses: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &addresses) == 0, let first = addresses else {
            throw .unknownHost(host)
        }
        defer { freeaddrinfo(addresses) }
        let address = first.pointee
        let descriptor = Foundation.socket(address.ai_family, address.ai_socktype, 0)
        guard descriptor >= 0 else { return nil }
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let isBound =
            bind(descriptor, address.ai_addr, address.ai_addrlen) == 0
            && withUnsafeMutableBytes(of: &storage) { bytes in
                // POSIX guarantees that an address of any family fits into `sockaddr_storage`.
                getsockname(descriptor, bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), &length)
            } == 0
        guard isBound else {
            let reason = errno
            close(descriptor)
            switch reason {
            case EADDRINUSE: throw .portInUse(host: host, port: port)
            case EACCES: throw .notPermitted(host: host, port: port)
            case EADDRNOTAVAIL: throw .unknownHost(host)
            default: return nil
            }
        }
        // In both families the port is the second field, two bytes in network order.
        self.port = withUnsafeBytes(of: storage) { Int($0[2]) << 8 | Int($0[3]) }
        socket = Mutex(descriptor)
    }

    deinit { release() }

    /// Closes the socket. Call this once the service listens.
    func release() {
        socket.withLock { socket in
            if let descriptor = socket { close(descriptor) }
            socket = nil
        }
    }

    private static var stream: Int32 {
        #if canImport(Glibc)
            Int32(SOCK_STREAM.rawValue)
        #else
            SOCK_STREAM
        #endif
    }
}
