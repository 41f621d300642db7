import Foundation

/// Runs another program to its end in a new session, so that Ctrl-C in the tests does not reach it.
///
/// Foundation's `Process` is not used, because it reports a program as running while any of its daemons runs.
enum Command {
    /// Runs a program; its output is part of the error if it fails.
    static func run(_ command: [String], log: String) async throws {
        let (status, output) = try await outcome(of: command, log: log)
        guard status == 0 else {
            throw TestServerFailure(
                reason: "\(command.joined(separator: " ")) ended with wait status \(status): \(output)")
        }
    }

    /// Runs a program and returns its wait status (0 for success, as from `waitpid`) and output.
    static func outcome(of command: [String], log: String) async throws -> (status: Int32, output: String) {
        let process = try launch(command, log: log)
        let status = await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: wait(for: process)) }
        }
        return (status, (try? String(contentsOfFile: log, encoding: .utf8)) ?? "")
    }

    static func launch(_ command: [String], log: String = "/dev/null") throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        InheritedDescriptors.close(in: &actions)
        // Otherwise the signals that this process blocks would be blocked in the program too.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let program = "/usr/bin/setsid"
        let arguments = ([program] + command).map { strdup($0) }
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
            for argument in arguments { free(argument) }
        }
        var process: pid_t = 0
        let failed = posix_spawn(&process, program, &actions, &attributes, arguments + [nil], environ)
        guard failed == 0 else { throw TestServerFailure(reason: "\(program) cannot be started (errno \(failed))") }
        return process
    }

    /// Blocks until the process ends, so call it on a separate thread. Returns its wait status: 0 for success.
    static func wait(for process: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { return -1 }
        }
        return status
    }
}

/// The descriptors that a child would inherit in addition to its standard streams. A server that inherited them would
/// keep the sockets of other tests open as long as it runs.
public enum InheritedDescriptors {
    public static func close(in actions: inout posix_spawn_file_actions_t) {
        for descriptor in 3..<Int32(min(sysconf(Int32(_SC_OPEN_MAX)), 4096)) {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }
    }
}
