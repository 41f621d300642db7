import Logging
import Synchronization

/// A log in memory, with one string for each message and its metadata.
public final class LogTape: Sendable {
    private let recorded = Mutex<[String]>([])

    public init() {}

    public var lines: [String] { recorded.withLock { $0 } }

    public func logger(_ level: Logger.Level = .trace) -> Logger {
        var logger = Logger(label: "tape") { _ in Handler(tape: self) }
        logger.logLevel = level
        return logger
    }

    private struct Handler: LogHandler {
        let tape: LogTape
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level = .trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { $1 }
            let pairs = all.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
            tape.recorded.withLock { $0.append("\(event.level) \(event.message) \(pairs)") }
        }
    }
}
