import Foundation
import Logging
import Subprocess
import Synchronization

#if canImport(System)
    import System
#else
    import SystemPackage
#endif

/// A running PostgreSQL, as a child process.
///
/// The process outlives this value: a service that is killed leaves it behind, and the next service stops it.
struct Postmaster: Sendable {
    private static let maxLogBytes = 8 << 20

    let pid: Int32
    let folder: ClusterFolder
    /// The description of how the process ended.
    let exit: Task<String, Never>
    private let hasEnded: Flag
    /// The position in the log at which this run begins.
    private let logStart: Int

    static func launch(_ command: Command, in folder: ClusterFolder) async throws(EmbeddedPostgresError) -> Postmaster {
        if let size = FileStatus(folder.log)?.size, size > maxLogBytes { rename(folder.log, folder.log + ".1") }
        let log = open(folder.log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard log >= 0 else { throw .unusable(folder.log) }
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

    /// Waits until connections are accepted. Recovery after a crash may take a long time, so only the end of the
    /// process counts as a failure.
    func waitUntilReady(logger: Logger) async throws(EmbeddedPostgresError) {
        var nextLogTime = ContinuousClock.now + .seconds(10)
        while true {
            if let file = PostmasterFile(in: folder), file.pid == pid, file.isReady { return }
            if hasEnded.isTrue { throw .startFailed(reason: await failure(), log: folder.log) }
            do { try await Task.sleep(for: .milliseconds(2)) } catch { throw .interrupted }
            if ContinuousClock.now > nextLogTime {
                logger.info("PostgreSQL is still recovering", metadata: ["log": "\(folder.log)"])
                nextLogTime += .seconds(10)
            }
        }
    }

    /// Ends all connections, writes a checkpoint and waits for the end of the process. After a minute, the process is
    /// stopped without the checkpoint, which costs only a recovery at the next start.
    func stop() async {
        signal(SIGINT)
        let timeout = Task {
            try await Task.sleep(for: .seconds(60))
            signal(SIGQUIT)
        }
        _ = await exit.value
        timeout.cancel()
    }

    private func signal(_ number: Int32) {
        // Once `exit` has reaped the process, its pid may belong to another one.
        if !hasEnded.isTrue { kill(pid, number) }
    }

    private func failure() async -> String {
        let status = await exit.value
        guard let data = FileManager.default.contents(atPath: folder.log)?.dropFirst(logStart) else { return status }
        let lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
        let isFault = { (line: Substring) in line.contains("FATAL:") || line.contains("PANIC:") }
        // Errors found before the log is set up are written as "postgres: sentence".
        guard let fault = lines.last(where: isFault) ?? lines.first(where: { $0.hasPrefix("postgres: ") }),
            let start = fault.firstRange(of: ":  ")?.upperBound ?? fault.firstRange(of: ": ")?.upperBound
        else { return status }
        return String(fault[start...])
    }
}

/// A flag that is raised once.
private final class Flag: Sendable {
    private let state = Mutex(false)

    var isTrue: Bool { state.withLock { $0 } }

    func raise() { state.withLock { $0 = true } }
}
