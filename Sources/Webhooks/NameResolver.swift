import BlockingWork
import Domain

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Resolves host names.
public protocol NameResolver: Sendable {
    /// Returns the addresses in the order in which to try them. Empty if the name can't be resolved. A literal address
    /// is returned unchanged.
    func addresses(of host: String) async -> [NetworkAddress]
}

/// The system's resolver: hosts file, DNS, or whatever is configured. Lookups block, so they run on separate threads.
public struct SystemResolver: NameResolver {
    private let work = BlockingWork("afterword.resolver", maximumRunning: 16, maximumWaiting: 64)

    public init() {}

    /// Returns no addresses as soon as the task is cancelled. The lookup itself can't be stopped.
    public func addresses(of host: String) async -> [NetworkAddress] {
        let (results, continuation) = AsyncStream.makeStream(of: [NetworkAddress].self)
        Task {
            let resolved = try? await work.run { Self.lookUp(host) }
            continuation.yield(resolved ?? [])
            continuation.finish()
        }
        for await addresses in results { return addresses }
        return []
    }

    static func lookUp(_ host: String) -> [NetworkAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_protocol = Int32(IPPROTO_TCP)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var addresses: [NetworkAddress] = []
        var next = list
        while let entry = next {
            if let address = address(entry.pointee), !addresses.contains(address) { addresses.append(address) }
            next = entry.pointee.ai_next
        }
        return addresses
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
