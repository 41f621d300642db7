import CMemoryFile
import Subprocess

#if canImport(System)
    import System
#else
    import SystemPackage
#endif

/// A program that accepts mail as `sendmail -t -i` does: it takes the recipients from the headers, and reads the
/// message from standard input.
public struct Sendmail: MailTransport {
    public let path: String
    private let environment: [String: String]
    private let timeout: Duration

    /// - Parameters:
    ///   - environment: The variables that the program receives.
    ///   - timeout: The time after which the program is terminated and the mail is retried.
    public init(path: String, environment: [String: String], timeout: Duration = .seconds(60)) {
        self.path = path
        self.environment = environment
        self.timeout = timeout
    }

    /// Returns the first executable sendmail in these folders or else in the usual places. Nil if there is none.
    ///
    /// - Parameter search: Folders in the format of `PATH`.
    public static func find(in search: String, canRun: (String) -> Bool) -> String? {
        let folders = search.split(separator: ":").filter { $0.hasPrefix("/") }
        let places = folders.map { "\($0)/sendmail" } + ["/usr/sbin/sendmail", "/usr/lib/sendmail"]
        return places.first(where: canRun)
    }

    public func send(_ message: MailMessage) async throws(MailRefusal) {
        let outcome = await withTaskGroup(of: Result<Void, MailRefusal>?.self) { group in
            group.addTask {
                do throws(MailRefusal) {
                    return .success(try await run(message.text))
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                do {
                    try await Task.sleep(for: timeout)
                    return .failure(MailRefusal("it took longer than \(timeout.components.seconds) s"))
                } catch {
                    return nil
                }
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
        guard let outcome else { throw MailRefusal("it was interrupted") }
        try outcome.get()
    }

    private func run(_ text: String) async throws(MailRefusal) {
        var options = PlatformOptions()
        // With its own session, sendmail does not receive Ctrl-C. The teardown also ends the children of sendmail.
        options.createSession = true
        options.teardownSequence = [.gracefulShutDown(toProcessGroup: true, allowedDurationToNextStep: .seconds(1))]
        let variables = environment.map { (Environment.Key(stringLiteral: $0.key), $0.value) }
        let configuration = Configuration(
            executable: .path(FilePath(path)), arguments: ["-t", "-i"],
            environment: .custom(Dictionary(uniqueKeysWithValues: variables)),
            workingDirectory: "/", platformOptions: options)
        let status: TerminationStatus
        let errorOutput: String
        do {
            let result = try await Subprocess.run(
                configuration, input: .fileDescriptor(try Self.file(holding: text), closeAfterSpawningProcess: true),
                output: .discarded, error: .string(limit: 1 << 20))
            status = result.terminationStatus
            errorOutput = result.standardError
        } catch let error as SubprocessError {
            throw MailRefusal(Self.firstLine(error.description))
        } catch let refusal as MailRefusal {
            throw refusal
        } catch {
            throw MailRefusal("it was interrupted")
        }
        guard !status.isSuccess else { return }
        let ending =
            switch status {
            case .exited(let code): "exit code \(code)"
            case .signaled(let signal): "signal \(signal)"
            }
        throw MailRefusal(ending, output: Self.firstLine(errorOutput))
    }

    /// Returns a file in memory, positioned at its start. With a pipe, a sendmail that exits before reading the whole
    /// mail would kill this process with SIGPIPE.
    private static func file(holding text: String) throws -> FileDescriptor {
        let number = memory_file("afterword-mail")
        guard number >= 0 else { throw MailRefusal("no file in memory can be created") }
        let descriptor = FileDescriptor(rawValue: number)
        do {
            try descriptor.writeAll(text.utf8)
            try descriptor.seek(offset: 0, from: .start)
        } catch {
            try? descriptor.close()
            throw MailRefusal("the file in memory cannot be written")
        }
        return descriptor
    }

    private static func firstLine(_ text: String) -> String {
        let line = text.split(whereSeparator: \.isNewline).first ?? ""
        return String(EncodedWord.oneLine(String(line)).prefix(200))
    }
}
