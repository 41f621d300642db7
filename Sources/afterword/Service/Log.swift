import Logging

/// The program's log on standard error.
enum Log {
    /// Must be called once, before anything is logged.
    static func start(_ level: Logger.Level) -> Logger {
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = level
            return handler
        }
        return Logger(label: "afterword")
    }
}
