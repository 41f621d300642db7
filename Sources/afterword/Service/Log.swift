import Logging

/// The program's log: on the standard error.
enum Log {
    /// Called once, before anything is logged.
    static func start(_ level: Logger.Level) -> Logger {
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = level
            return handler
        }
        return Logger(label: "afterword")
    }
}
