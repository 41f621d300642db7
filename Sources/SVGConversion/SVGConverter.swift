import Foundation
import Subprocess

#if canImport(System)
    import System
#else
    import SystemPackage
#endif

/// Converts SVG images with `rsvg-convert`, in a process of its own for each call.
public struct SVGConverter: Sendable {
    private static let timeoutOfPicture: Duration = .seconds(30)
    /// A document of 160 pages in many scripts takes 18 seconds of processor time.
    private static let timeoutOfDocument: Duration = .seconds(60)
    /// The largest result.
    private static let maximumBytes = 64 << 20
    /// The environment variables that are passed to the program. It needs them to find fonts and their cache.
    private static let variables = ["PATH", "HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "FONTCONFIG_FILE", "LANG"]

    private let path: String
    private let environment: [String: String]

    /// Throws `notInstalled` before any expensive work.
    public init(environment: [String: String]) throws(SVGConversionError) {
        let folders = (environment["PATH"] ?? "").split(separator: ":").filter { $0.hasPrefix("/") }
        let places = folders.map { folder -> String in "\(folder)/rsvg-convert" }
        guard let path = places.first(where: { place in access(place, X_OK) == 0 }) else { throw .notInstalled }
        self.path = path
        self.environment = environment.filter { Self.variables.contains($0.key) }
    }

    /// Returns a PNG file of twice the size.
    public func png(_ svg: String) async throws(SVGConversionError) -> [UInt8] {
        let input = try InputFiles.unlinked(containing: svg)
        let bytes = try await limited(to: Self.timeoutOfPicture) { () async throws(SVGConversionError) in
            try await run(
                ["--format", "png", "--zoom", "2"], input: .fileDescriptor(input, closeAfterSpawningProcess: true))
        }
        guard Self.isCompletePNG(bytes) else { throw .failed("it wrote an incomplete picture") }
        return bytes
    }

    /// Returns a PDF file with a page for each SVG image, and with the fonts that they use.
    public func pdf(pages: [String]) async throws(SVGConversionError) -> [UInt8] {
        let bytes = try await limited(to: Self.timeoutOfDocument) { () async throws(SVGConversionError) in
            try await InputFiles.withFolder(of: pages) { paths async throws(SVGConversionError) in
                try await run(["--format", "pdf"] + paths, input: .none)
            }
        }
        guard Self.isCompletePDF(bytes) else { throw .failed("it wrote an incomplete document") }
        return bytes
    }

    /// Cancels `body` after the timeout.
    private func limited(
        to timeout: Duration, _ body: @escaping @Sendable () async throws(SVGConversionError) -> [UInt8]
    ) async throws(SVGConversionError) -> [UInt8] {
        let outcome = await withTaskGroup(of: Result<[UInt8], SVGConversionError>?.self) { group in
            group.addTask {
                do throws(SVGConversionError) {
                    return .success(try await body())
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                do {
                    try await Task.sleep(for: timeout)
                    return .failure(.failed("it took longer than \(timeout.components.seconds) s"))
                } catch {
                    return nil
                }
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
        guard let outcome else { throw .cancelled }
        return try outcome.get()
    }

    private func run(
        _ arguments: [String], input: some InputProtocol
    ) async throws(SVGConversionError) -> [UInt8] {
        var options = PlatformOptions()
        // With its own session, rsvg-convert does not receive Ctrl-C. This process terminates it.
        options.createSession = true
        options.teardownSequence = [.gracefulShutDown(toProcessGroup: true, allowedDurationToNextStep: .seconds(1))]
        let variables = environment.map { (Environment.Key(stringLiteral: $0.key), $0.value) }
        let configuration = Configuration(
            executable: .path(FilePath(path)), arguments: Arguments(arguments),
            environment: .custom(Dictionary(uniqueKeysWithValues: variables)), platformOptions: options)
        do {
            let result = try await Subprocess.run(
                configuration, input: input, output: .bytes(limit: Self.maximumBytes), error: .string(limit: 1 << 16))
            guard result.terminationStatus.isSuccess else {
                let line = result.standardError.split(whereSeparator: \.isNewline).first
                throw SVGConversionError.failed(
                    line.map { String($0.prefix(200)) } ?? "\(result.terminationStatus)")
            }
            return result.standardOutput
        } catch let error as SVGConversionError {
            throw error
        } catch let error as SubprocessError {
            throw .failed(String(error.description.prefix(200)))
        } catch {
            throw .cancelled
        }
    }

    /// Whether the bytes have the beginning and the end of a PNG file (ISO/IEC 15948, 5.2 and 11.2.5).
    private static func isCompletePNG(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
            && bytes.suffix(12) == [0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82]
    }

    /// Whether the bytes have the beginning and the end of a PDF file (ISO 32000-1, 7.5.2 and 7.5.5).
    private static func isCompletePDF(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: Array("%PDF-".utf8)) && bytes.suffix(8).contains(Array("%%EOF".utf8))
    }
}
