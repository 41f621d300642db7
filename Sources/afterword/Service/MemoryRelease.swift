import CMalloc
import Foundation
import ServiceLifecycle

/// Returns memory that is no longer used to the system.
///
/// After many large requests at once, glibc keeps what they used: 350 MB after 4,000 requests of 256 KB.
struct MemoryRelease: ServiceLifecycle.Service {
    private static let interval: Duration = .seconds(10)
    /// Less is not worth the time.
    private static let threshold = 32 << 20

    func run() async throws {
        #if canImport(Glibc)
            var smallest = Self.residentBytes() ?? 0
            while !Task.isShuttingDownGracefully, !Task.isCancelled {
                try? await cancelWhenGracefulShutdown { try await Task.sleep(for: Self.interval) }
                guard let resident = Self.residentBytes() else { continue }
                smallest = min(smallest, resident)
                guard resident > smallest + Self.threshold, mallinfo2().fordblks > Self.threshold else { continue }
                malloc_trim(0)
                smallest = Self.residentBytes() ?? resident
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
