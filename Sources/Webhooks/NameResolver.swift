import BlockingWork
import Domain

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What tells the addresses of a name.
public protocol NameResolver: Sendable {
    /// In the order in which they are to be tried; none when the name leads nowhere. An address is its own.
    func addresses(of host: String) async -> [NetworkAddress]
}

/// The system's own: files, DNS, whatever it is set up with. It blocks, perhaps for long, on threads of its own.
public struct SystemResolver: NameResolver {
    private let work = BlockingWork("afterword.resolver", atOnce: 16, waiting: 64)

    public init() {}

    /// Returns early, with none, when the task is cancelled; the look-up goes on until the system ends it.
    public func addresses(of host: String) async -> [NetworkAddress] {
        let (answers, continuation) = AsyncStream.makeStream(of: [NetworkAddress].self)
        Task {
            let found = try? await work.run { Self.lookUp(host) }
            continuation.yield(found ?? [])
            continuation.finish()
        }
        for await answer in answers { return answer }
        return []
    }

    static func lookUp(_ host: String) -> [NetworkAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_protocol = Int32(IPPROTO_TCP)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var found: [NetworkAddress] = []
        var next = list
        while let entry = next {
            if let address = address(entry.pointee), !found.contains(address) { found.append(address) }
            next = entry.pointee.ai_next
        }
        return found
    }

    private static func address(_ entry: addrinfo) -> NetworkAddress? {
        guard let socket = entry.ai_addr else { return nil }
        switch entry.ai_family {
        case AF_INET:
            return socket.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
                NetworkAddress(bytes: withUnsafeBytes(of: address.pointee.sin_addr) { Array($0) })
            }
        case AF_INET6:
            return socket.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
                NetworkAddress(bytes: withUnsafeBytes(of: address.pointee.sin6_addr) { Array($0) })
            }
        default: return nil
        }
    }
}
