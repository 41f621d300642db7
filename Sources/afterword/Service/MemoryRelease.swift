import CMalloc
import Foundation
import ServiceLifecycle

/// Returns unused memory to the system.
///
/// After many large requests at once, glibc keeps the memory that they used: 350 MB after 4,000 requests of 256 KB.
struct MemoryRelease: ServiceLifecycle.Service {
    private static let interval: Duration = .seconds(10)
    /// Releasing less is not worth the time.
    private static let thresholdBytes = 32 << 20

    func run() async throws {
        #if canImport(Glibc)
            // The smallest values since memory was last returned.
            var smallest = (resident: Int.max, free: Int.max)
            while !Task.isShuttingDownGracefully, !Task.isCancelled {
                let (resident, free) = (Self.residentBytes() ?? 0, Int(mallinfo2().fordblks))
                // Free blocks that were returned still count as free, but are not resident.
                let hasGrown =
                    resident - Self.thresholdBytes > smallest.resident || free - Self.thresholdBytes > smallest.free
                if free > Self.thresholdBytes, hasGrown {
                    malloc_trim(0)
                    smallest = (Self.residentBytes() ?? 0, Int(mallinfo2().fordblks))
                } else {
                    smallest = (min(smallest.resident, resident), min(smallest.free, free))
                }
                try? await cancelWhenGracefulShutdown { try await Task.sleep(for: Self.interval) }
            }
        #else
            try? await gracefulShutdown()
        #endif
    }

    /// The resident memory of this process.
    static func residentBytes() -> Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
            let pages = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else { return nil }
        return pages * Int(getpagesize())
    }
}
