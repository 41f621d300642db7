import Foundation
import TestSupport

/// A child process with its standard streams in files.
///
/// Foundation's `Process` is not used. It reports a program as running while any of its children runs, and a killed
/// service leaves its database running.
final class ChildProcess: Sendable {
    struct NotStarted: Error {
        let code: Int32
    }

    let pid: pid_t
    private let exitTask: Task<Int32, Never>

    /// - Parameter command: The program's path and its arguments.
    init(_ command: [String], environment: [String: String], input: String, output: String, errors: String) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        InheritedDescriptors.close(in: &actions)
        let arguments = command.map { strdup($0) }
        let variables = environment.map { strdup("\($0.key)=\($0.value)") }
        defer {
            posix_spawn_file_actions_destroy(&actions)
            for text in arguments + variables { free(text) }
        }
        var process: pid_t = 0
        let code = posix_spawn(&process, command[0], &actions, nil, arguments + [nil], variables + [nil])
        guard code == 0 else { throw NotStarted(code: code) }
        let pid = process
        self.pid = pid
        exitTask = Task {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread { continuation.resume(returning: Self.wait(for: pid)) }
            }
        }
    }

    /// The exit status, or 128 plus the signal's number for a process that was killed.
    var status: Int32 {
        get async { await exitTask.value }
    }

    /// Whether the process exists. The waiting thread reaps it as soon as it ends.
    var isRunning: Bool { kill(pid, 0) == 0 }

    private static func wait(for pid: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0 {
            guard errno == EINTR else { return -1 }
        }
        let signal = status & 0x7f
        return signal == 0 ? (status >> 8) & 0xff : 128 + signal
    }
}
