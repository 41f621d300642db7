import Logging
import Subprocess
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(System)
    import System
#else
    import SystemPackage
#endif
#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The running PostgreSQL, a child of ours.
///
/// It outlives this value: a service that is killed leaves it behind, and the next one clears it away.
struct Postmaster: Sendable {
    private static let largestLog = 8 << 20

    let pid: Int32
    let folder: ClusterFolder
    /// How it ended.
    let exit: Task<String, Never>
    private let hasEnded: Flag
    /// Where in the log this run begins.
    private let logStart: Int

    static func launch(_ command: Command, in folder: ClusterFolder) async throws(EmbeddedPostgresError) -> Postmaster {
        if let size = FileStatus(folder.log)?.size, size > largestLog { rename(folder.log, folder.log + ".1") }
        let log = open(folder.log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard log >= 0 else { throw .folderUnusable(path: folder.log, reason: SystemReason.current.description) }
        let logStart = FileStatus(folder.log)?.size ?? 0

        let (pids, announcement) = AsyncStream<Int32>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let hasEnded = Flag()
        let exit = Task {
            defer {
                hasEnded.raise()
                announcement.finish()
            }
            do {
                let result = try await Subprocess.run(
                    command.configuration, input: .none,
                    output: .fileDescriptor(FileDescriptor(rawValue: log), closeAfterSpawningProcess: true),
                    error: .combinedWithOutput
                ) { child in
                    announcement.yield(child.processIdentifier.value)
                }
                return result.terminationStatus.description
            } catch {
                return "\(command.path) cannot be run"
            }
        }
        for await pid in pids {
            return Postmaster(pid: pid, folder: folder, exit: exit, hasEnded: hasEnded, logStart: logStart)
        }
        throw .startFailed(reason: await exit.value, log: folder.log)
    }

    /// Waits until connections are taken. Recovery after a crash may take its time; only the child's end is a failure.
    func waitUntilReady(logger: Logger) async throws(EmbeddedPostgresError) {
        var nextNote = ContinuousClock.now + .seconds(10)
        while true {
            if let file = PostmasterFile(in: folder), file.pid == pid, file.isReady { return }
            if hasEnded.isTrue { throw .startFailed(reason: await failure(), log: folder.log) }
            do { try await Task.sleep(for: .milliseconds(5)) } catch { throw .interrupted }
            if ContinuousClock.now > nextNote {
                logger.info("PostgreSQL is still recovering", metadata: ["log": "\(folder.log)"])
                nextNote += .seconds(10)
            }
        }
    }

    /// Ends all connections, writes a checkpoint and waits for the end; after a minute without the checkpoint, which
    /// costs nothing but a recovery at the next start.
    func stop() async {
        signal(SIGINT)
        let impatience = Task {
            try await Task.sleep(for: .seconds(60))
            signal(SIGQUIT)
        }
        _ = await exit.value
        impatience.cancel()
    }

    private func signal(_ number: Int32) {
        // Once `exit` has reaped it, the number may be a stranger's.
        if !hasEnded.isTrue { kill(pid, number) }
    }

    private func failure() async -> String {
        let status = await exit.value
        guard let data = FileManager.default.contents(atPath: folder.log)?.dropFirst(logStart) else { return status }
        let lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
        let isFault = { (line: Substring) in line.contains("FATAL:") || line.contains("PANIC:") }
        // What is found wrong before the log is set up comes as "postgres: sentence".
        guard let fault = lines.last(where: isFault) ?? lines.first(where: { $0.hasPrefix("postgres: ") }),
            let start = fault.firstRange(of: ":  ")?.upperBound ?? fault.firstRange(of: ": ")?.upperBound
        else { return status }
        return String(fault[start...])
    }
}

/// A condition that comes true once.
private final class Flag: Sendable {
    private let state = Mutex(false)

    var isTrue: Bool { state.withLock { $0 } }

    func raise() { state.withLock { $0 = true } }
}
