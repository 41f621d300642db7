import Foundation

/// Another program, run to its end in a session of its own, so that Ctrl-C at the tests does not reach it.
///
/// Not Foundation's Process: it takes a program for running as long as any daemon it left behind.
enum Command {
    /// Runs a program; what it says is part of the error if it fails.
    static func run(_ words: [String], log: String) async throws {
        let (status, said) = try await outcome(of: words, log: log)
        guard status == 0 else {
            throw TestServerFailure(reason: "\(words.joined(separator: " ")) ended with \(status): \(said)")
        }
    }

    /// How a program ends, and what it says until then.
    static func outcome(of words: [String], log: String) async throws -> (status: Int32, said: String) {
        let process = try launch(words, log: log)
        let status = await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: wait(for: process)) }
        }
        return (status, (try? String(contentsOfFile: log, encoding: .utf8)) ?? "")
    }

    static func launch(_ words: [String], log: String = "/dev/null") throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        InheritedDescriptors.close(in: &actions)
        let program = "/usr/bin/setsid"
        let arguments = ([program] + words).map { strdup($0) }
        defer {
            posix_spawn_file_actions_destroy(&actions)
            for argument in arguments { free(argument) }
        }
        var process: pid_t = 0
        let failed = posix_spawn(&process, program, &actions, nil, arguments + [nil], environ)
        guard failed == 0 else { throw TestServerFailure(reason: "\(program) cannot be started (errno \(failed))") }
        return process
    }

    /// Blocks until the process ends, so on a thread of its own; gives 0 for success.
    static func wait(for process: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { return -1 }
        }
        return status
    }
}

/// What a child would otherwise get of this process beyond its standard streams: a server would keep the sockets of
/// other tests open for as long as it lives.
public enum InheritedDescriptors {
    public static func close(in actions: inout posix_spawn_file_actions_t) {
        for descriptor in 3..<Int32(min(sysconf(Int32(_SC_OPEN_MAX)), 4096)) {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }
    }
}
