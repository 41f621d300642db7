import Logging

/// The program's log on standard error.
enum Log {
    /// The format of a line.
    enum Format: String, CaseIterable, Sendable {
        case text
        case json
    }

    /// Starts the log of the service. Must be called once, before anything is logged.
    static func startService(_ settings: Settings) -> Logger { start(settings.logLevel, as: settings.logFormat) }

    /// Starts the log of any other command. Must be called once, before anything is logged.
    static func startCommand(_ settings: Settings) -> Logger {
        start(settings.commandLogLevel, as: settings.logFormat)
    }

    private static func start(_ level: Logger.Level, as format: Format) -> Logger {
        LoggingSystem.bootstrap { label in
            var handler: any LogHandler =
                switch format {
                case .text: StreamLogHandler(label: label, stream: LogLines())
                case .json: JSONLogHandler(label: label, stream: LogLines())
                }
            handler.logLevel = level
            return handler
        }
        return Logger(label: "afterword")
    }

    /// Shows a sentence to the person who starts the service, regardless of the log level. In JSON, the sentence is a
    /// line of the log, because standard error then consists of such lines.
    static func announce(_ sentence: String, by logger: Logger, as format: Format) {
        switch format {
        case .text: Terminal.printError(sentence)
        case .json: logger.log(level: max(.notice, logger.logLevel), "\(sentence)")
        }
    }
}
