import Foundation

/// Requests with blocking calls on a thread of their own, which no task of the process can delay.
public enum BlockingProbe {
    /// Repeats a request, each on a new connection, and returns the duration of each.
    ///
    /// - Parameters:
    ///   - time: How long the request is repeated.
    ///   - status: The status of every response; another one is an error.
    public static func times(
        of path: String, port: Int, for time: Duration, status: Int = 200
    ) async throws -> [Duration] {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        let end = ContinuousClock.now + time
                        var times: [Duration] = []
                        while .now < end {
                            let start = ContinuousClock.now
                            let response = try get(path, port: port)
                            guard response.hasPrefix("HTTP/1.1 \(status) ") else {
                                throw TestStore.Missing("a \(status): \(response)")
                            }
                            times.append(.now - start)
                            Thread.sleep(forTimeInterval: 0.02)
                        }
                        return times
                    })
            }
        }
    }

    private static func get(_ path: String, port: Int) throws -> String {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { throw TestStore.Missing("a socket") }
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw TestStore.Missing("a connection") }
        let request = Array("GET \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".utf8)
        guard send(socket, request, request.count, 0) == request.count else {
            throw TestStore.Missing("a request sent")
        }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = recv(socket, &buffer, buffer.count, 0), count > 0 { bytes += buffer.prefix(count) }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension [Duration] {
    /// The middle duration; zero if there are none.
    public var median: Duration { isEmpty ? .zero : sorted()[count / 2] }
}
