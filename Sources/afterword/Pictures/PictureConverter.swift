import Foundation
import Subprocess

#if canImport(System)
    import System
#else
    import SystemPackage
#endif

/// Converts SVG to PNG at twice the size, with `rsvg-convert`.
struct PictureConverter: Sendable {
    private static let timeout: Duration = .seconds(30)
    /// The size limit for one image.
    private static let maximumBytes = 64 << 20
    /// The environment variables that are passed to the program. It needs them to find fonts and their cache.
    private static let variables = ["PATH", "HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "FONTCONFIG_FILE", "LANG"]

    private let path: String
    private let environment: [String: String]

    /// Throws if the program is not installed, before any expensive work.
    init(environment: [String: String] = ProcessInfo.processInfo.environment) throws(Failure) {
        let folders = (environment["PATH"] ?? "").split(separator: ":").filter { $0.hasPrefix("/") }
        let places = folders.map { folder -> String in "\(folder)/rsvg-convert" }
        guard let path = places.first(where: { place in access(place, X_OK) == 0 }) else {
            throw Failure(
                "PNG files require rsvg-convert, which is not installed: install the package librsvg2-bin, or use "
                    + "--format svg.")
        }
        self.path = path
        self.environment = environment.filter { Self.variables.contains($0.key) }
    }

    func png(_ svg: String) async throws -> [UInt8] {
        let outcome = await withTaskGroup(of: Result<[UInt8], Failure>?.self) { group in
            group.addTask {
                do throws(Failure) {
                    return .success(try await convert(svg))
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                do {
                    try await Task.sleep(for: Self.timeout)
                    return .failure(Self.failure("it took longer than \(Self.timeout.components.seconds) s"))
                } catch {
                    return nil
                }
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
        guard let outcome else { throw Failure.interrupted }
        return try outcome.get()
    }

    private func convert(_ svg: String) async throws(Failure) -> [UInt8] {
        var options = PlatformOptions()
        // With its own session, rsvg-convert does not receive Ctrl-C. This process terminates it.
        options.createSession = true
        options.teardownSequence = [.gracefulShutDown(toProcessGroup: true, allowedDurationToNextStep: .seconds(1))]
        let variables = environment.map { (Environment.Key(stringLiteral: $0.key), $0.value) }
        let configuration = Configuration(
            executable: .path(FilePath(path)), arguments: ["--format", "png", "--zoom", "2"],
            environment: .custom(Dictionary(uniqueKeysWithValues: variables)), platformOptions: options)
        let input = try Self.unlinkedFile(containing: svg)
        do {
            let result = try await Subprocess.run(
                configuration, input: .fileDescriptor(input, closeAfterSpawningProcess: true),
                output: .bytes(limit: Self.maximumBytes), error: .string(limit: 1 << 16))
            guard result.terminationStatus.isSuccess else {
                let line = result.standardError.split(whereSeparator: \.isNewline).first
                throw Self.failure(line.map { String($0.prefix(200)) } ?? "\(result.terminationStatus)")
            }
            guard Self.isComplete(result.standardOutput) else { throw Self.failure("it wrote an incomplete picture") }
            return result.standardOutput
        } catch let failure as Failure {
            throw failure
        } catch let error as SubprocessError {
            throw Self.failure(String(error.description.prefix(200)))
        } catch {
            throw .interrupted
        }
    }

    /// Whether the bytes have the beginning and the end of a PNG file (ISO/IEC 15948, 5.2 and 11.2.5).
    private static func isComplete(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
            && bytes.suffix(12) == [0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82]
    }

    /// Returns an unlinked file positioned at its start. A pipe could kill this process with SIGPIPE.
    private static func unlinkedFile(containing text: String) throws(Failure) -> FileDescriptor {
        var template = Array((NSTemporaryDirectory() + "/afterword-picture-XXXXXX").utf8CString)
        let number = mkstemp(&template)
        guard number >= 0 else { throw failure("no temporary file can be created") }
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        unlink(template)
        let descriptor = FileDescriptor(rawValue: number)
        do {
            try descriptor.writeAll(text.utf8)
            try descriptor.seek(offset: 0, from: .start)
        } catch {
            try? descriptor.close()
            throw failure("no temporary file can be written")
        }
        return descriptor
    }

    private static func failure(_ reason: String) -> Failure {
        Failure("Converting a chart to PNG failed (rsvg-convert: \(reason)). --format svg does not require it.")
    }
}
